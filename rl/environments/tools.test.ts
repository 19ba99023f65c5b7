import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { byteTokenizer } from "./bytes.js";
import { noSandbox } from "./play.js";
import { toolEnvironment } from "./tool-environment.js";
import { parseCall, schemasOf, ToolError, toolsOf } from "./tools.js";

interface State {
  sum: number;
}
const { tool } = toolsOf<null, State>();
const tools = {
  add: tool("Add to the sum.", { n: z.number().max(9) }, ({ n }, { state }) => {
    state.sum += n;
    return String(state.sum);
  }),
  say: tool("Say a text.", { to: z.enum(["all", "one"]), text: z.string() }, ({ to, text }) => `${to}: ${text}`),
  fail: tool("A fault of the environment.", {}, () => {
    throw new TypeError("a mistake in the tool");
  }),
  end: tool("End.", {}, (_, { state }) => ({ observation: "", reward: state.sum, done: true, info: { solved: 1 } })),
};
const adder = toolEnvironment<null, State>({
  ...{ name: "adder", maxTurns: 4, maxActionTokens: 99, tools, trainTask: () => null, heldOutTasks: () => [] },
  start: () => ({ sum: 0 }),
  prompt: () => "add",
  *expert() {
    yield "end";
  },
  *random() {
    yield "end";
  },
});

test("a call reads the same as a tagged JSON object, a bare one, and words", () => {
  const argument = { to: "one", text: "a b  c" };
  const json = JSON.stringify({ name: "say", arguments: argument });
  for (const action of [`I will.\n<tool_call>\n${json}\n</tool_call>`, json]) {
    assert.deepEqual(parseCall(action, tools), { tool: tools.say, input: argument });
  }
  assert.deepEqual(parseCall("say one a b c", tools).input, { to: "one", text: "a b c" });
  assert.deepEqual(parseCall(" add -1.5 ", tools).input, { n: -1.5 });
});

test("what is wrong with a call is told in one sentence", () => {
  const wrong: [string, RegExp][] = [
    ["", /^there is no tool named: use add, say, fail, end$/],
    ["sub 1", /^there is no tool sub: use add/],
    ["constructor", /^there is no tool constructor/],
    ["add", /^add\.n: Invalid input: expected number/],
    ["add ten", /^add\.n: Invalid input: expected number/],
    ["add 10", /^add\.n: Too big/],
    ["add 1 2", /^add takes n$/],
    ["end now", /^end takes no argument$/],
    ["say none x", /^say\.to: Invalid option/],
    ['{"name": "add"', /^the tool call is not valid JSON$/],
    ['{"name": "add", "arguments": {"n": 1, "m": 2}}', /^add: Unrecognized key: "m"$/],
    ["<tool_call>{}</tool_call><tool_call>{}</tool_call>", /^one tool call at a time$/],
    ["null", /^there is no tool null/],
    ["{null}", /^the tool call is not valid JSON$/],
  ];
  for (const [action, message] of wrong) assert.throws(() => parseCall(action, tools), { message }, action);
});

test("whatever the policy says is a call or its own mistake, never a fault of ours", () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `<tool_call>${json}</tool_call>`),
  );
  fc.assert(
    fc.property(text, (action) => {
      try {
        parseCall(action, tools);
      } catch (caught) {
        assert.ok(caught instanceof ToolError, String(caught));
      }
    }),
  );
});

test("the schemas are what a chat template takes", () => {
  assert.deepEqual(schemasOf(tools)[0], {
    type: "function",
    function: {
      name: "add",
      description: "Add to the sum.",
      parameters: {
        type: "object",
        properties: { n: { type: "number", maximum: 9 } },
        required: ["n"],
        additionalProperties: false,
      },
    },
  });
});

test("a mistake of the agent is read and counted, one of the tool's code is thrown", async () => {
  const env = adder.create();
  const context = noSandbox();
  await env.reset(null, context);
  assert.match((await env.step("add x", context)).observation, /^error: add\.n/);
  await assert.rejects(env.step("fail", context), TypeError);
  const end = await env.step("end", context);
  assert.deepEqual([end.terminated, end.reward, end.info], [true, 0, { solved: 1, turns: 3, errors: 1 }]);
  await assert.rejects(env.step("end", context), /after the end/);
});

test("the budget truncates, and a snapshot is gone on from as often as one likes", async () => {
  const env = adder.create();
  const context = noSandbox();
  await env.reset(null, context);
  await env.step("add 2", context);
  const snapshot = JSON.parse(JSON.stringify(await env.snapshot!()));
  const ends = [];
  for (const n of [1, 5, 1]) {
    const branch = adder.create();
    await branch.restore!(snapshot);
    await branch.step(`add ${n}`, context);
    await branch.step("", context);
    ends.push(await branch.step(`add ${n}`, context));
  }
  assert.deepEqual(
    ends.map(({ observation, terminated, truncated }) => [observation, terminated, truncated]),
    [
      ["4", false, true],
      ["12", false, true],
      ["4", false, true],
    ],
  );
});

test("every text survives the byte tokenizer", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      assert.equal(byteTokenizer.decode(byteTokenizer.encode(text)), text);
    }),
  );
});
