import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox, play } from "../play.js";
import { seededRandom } from "../random.js";
import { ToolError } from "../tools.js";
import { verify } from "../verify.js";
import { evaluate } from "./expression.js";
import { arithmetic, finalNumber } from "./index.js";

const expression = fc.letrec<{ any: string; group: string; number: string; minus: string }>((tie) => ({
  any: fc.oneof({ depthSize: "small" }, tie("number"), tie("group"), tie("minus")),
  number: fc.nat(999).map(String),
  group: fc.tuple(tie("any"), fc.constantFrom("+", "-", "*"), tie("any")).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
  minus: tie("any").map((a) => `- ${a}`),
})).any;

test("an expression has the value that JavaScript gives it", () => {
  fc.assert(fc.property(expression, (text) => assert.equal(evaluate(text), Number(new Function(`return ${text}`)()))));
  assert.equal(evaluate("2 + 3 * 4 - 8 / 4 / 2"), 13);
});

test("what is no expression is the agent's mistake", () => {
  for (const text of [
    "",
    "1 +",
    "(1",
    "1)",
    "1 2",
    "2 ** 3",
    "process.exit()",
    "1 / (2 - 2)",
    "(".repeat(1_000),
    "1e5",
  ])
    assert.throws(() => evaluate(text), ToolError, text);
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        evaluate(text);
      } catch (caught) {
        assert.ok(caught instanceof ToolError, String(caught));
      }
    }),
  );
});

test("the final number is read as GSM8K writes it", () => {
  const texts: [string, number | null][] = [
    ["#### 42", 42],
    ["So it is 6 * 7.\n#### $1,234.", 1234],
    ["#### -3.5", -3.5],
    ["42", null],
    ["#### 4 or 5", null],
    ["####", null],
  ];
  for (const [text, number] of texts) assert.equal(finalNumber(text), number, text);
});

test("its expert solves every held-out task, random calculation next to none, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(arithmetic as EnvironmentDef, 200, noSandbox());
  assert.deepEqual([problems, snapshot, expert], [[], true, 1]);
  assert.ok(random! <= 0.03, `random ${random}`);
});

test("the expert solves train tasks too, and their answers are whole", async () => {
  for (let i = 0; i < 200; i++) {
    const task = arithmetic.trainTask(3, i);
    assert.ok(Number.isInteger(task.answer) && task.answer >= 0, task.question);
    assert.equal((await play(arithmetic, task, arithmetic.expert!, seededRandom(1), noSandbox())).reward, 1);
  }
});
