import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isAlive } from "../../../runtime/core/claim.js";
import { type ActorsError, withDeadline } from "../../../runtime/index.js";
import type { EnvironmentDef } from "../environment.js";
import { OwnedProcess } from "../owned-process.js";
import { noSandbox } from "../play.js";
import { toolsOf } from "../tools.js";
import { verify } from "../verify.js";
import { type McpEnvironmentSpec, type McpServer, type McpSession, mcpEnvironment } from "./index.js";

interface Task {
  sum: number;
}
interface State {
  tries: number;
}
const { tool } = toolsOf<Task, State, McpSession>();
const program = fileURLToPath(new URL("./testing-server.js", import.meta.url));
const stdio: McpServer = { command: process.execPath, args: [program] };
const context = noSandbox();

/** The server's sum is to be brought to a number, which the server itself tells at the end. */
const counter = (server: McpServer, more: Partial<McpEnvironmentSpec<Task, State>> = {}) =>
  mcpEnvironment<Task, State>({
    ...{ name: "counter", maxTurns: 6, maxActionTokens: 64, server },
    start: () => ({ tries: 0 }),
    prompt: ({ sum }) => `bring the sum to ${sum}`,
    tools: {
      done: tool("End.", {}, async (_, { task, opened, context: { signal } }) => {
        const solved = Number(Number(await opened.call("add", { n: 0 }, signal)) === task.sum);
        return { observation: "", reward: solved, done: true, info: { solved } };
      }),
    },
    trainTask: (_, index) => ({ sum: 2 * (index % 4) + 1 }),
    heldOutTasks: () => [2, 4, 6].map((sum) => ({ sum })),
    *expert(prompt) {
      const sum = Number(prompt.split(" ").at(-1));
      yield `add ${sum - 1}`;
      yield "add 1";
      yield "done";
    },
    *random(_, dice) {
      yield `add ${Math.floor(9 * dice())}`;
      yield "done";
    },
    ...more,
  });

test("the tools of a server over stdio are an environment's, each episode has a server of its own", async () => {
  const def = await counter(stdio, { serverTools: ["add", "say"] });
  assert.deepEqual(
    def.tools!.map(({ function: { name } }) => name),
    ["add", "say", "done"],
  );
  const { parameters } = def.tools![0]!.function;
  assert.deepEqual(parameters["properties"], { n: { type: "number", maximum: 9 } });
  const { problems, expert, random, snapshot } = await verify(def as EnvironmentDef, 1, context);
  assert.deepEqual([problems, expert, snapshot], [[], 1, false]);
  assert.ok(random! < 1);
});

test("what the server refuses is the agent's mistake, what it fails at is not; no process is left", async () => {
  const def = await counter(stdio, { callMs: 1_000 });
  const env = def.create();
  await env.reset({ sum: 1 }, context);
  const pids = new Set<number>();
  const step = async (action: string) => (await env.step(action, context)).observation;
  assert.match(await step("add 10"), /^error: .*add/);
  assert.equal(await step("say nothing"), "error: there is nothing to say");
  const told = await step("say hello there");
  assert.match(told, /^\d+ hello there$/);
  pids.add(Number.parseInt(told, 10));
  await assert.rejects(env.step("stop", context), (error: ActorsError) => {
    assert.deepEqual([error.code, error.retryable], ["UNAVAILABLE", true]);
    assert.match(error.message, /it ended with status 3; it wrote: [\s\S]*asked to stop/);
    return true;
  });
  await env.reset({ sum: 1 }, context);
  pids.add(Number.parseInt(await step("say again"), 10));
  await assert.rejects(env.step("hang", context), (error: ActorsError) => {
    assert.deepEqual([error.code, error.retryable], ["DEADLINE_EXCEEDED", true]);
    return true;
  });
  await env.close();
  assert.deepEqual([pids.size, [...pids].some(isAlive)], [2, false]);
});

test("a server over HTTP is spoken to in sessions, which are given back", async () => {
  const http = new OwnedProcess("the server over HTTP", { command: process.execPath, args: [program, "http"] });
  const told: string[] = [];
  const line = (n: number) =>
    withDeadline(
      new Promise<string>((resolve) => {
        const look = () => told.length > n && resolve(told[n]!);
        http.onLine = (text) => {
          told.push(text);
          look();
        };
        look();
      }),
      10_000,
      `line ${n} of the server over HTTP`,
    );
  const port = await line(0);
  try {
    const def = await counter({ url: `http://127.0.0.1:${port}` }, { serverTools: ["add", "say"] });
    assert.equal(await line(1), "closed, 0 left");
    const [one, two] = [def.create(), def.create()];
    await one.reset({ sum: 4 }, context);
    await two.reset({ sum: 4 }, context);
    await one.step("add 4", context);
    assert.equal((await two.step("add 3", context)).observation, "3");
    assert.equal((await one.step("done", context)).reward, 1);
    await Promise.all([one.close(), two.close()]);
  } finally {
    await http.end();
  }
  await assert.rejects(counter({ url: `http://127.0.0.1:${port}` }), /UNAVAILABLE.*the MCP server at http/);
});

test("what is not there is named", async () => {
  await assert.rejects(counter(stdio, { serverTools: ["sub"] }), /has no tool sub/);
  await assert.rejects(
    counter({ command: "/nowhere/server" }),
    /the MCP server \/nowhere\/server: it ended with status 127/,
  );
});
