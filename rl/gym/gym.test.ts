import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { builtIn } from "../environments/built-in.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { noSandbox } from "../environments/play.js";
import { verify } from "../environments/verify.js";
import { listEnvironments, type RunEpisode, renderList, runEpisode } from "./gym.js";

async function run(name: string, options: Partial<RunEpisode>, input = ""): Promise<string[]> {
  const lines: string[] = [];
  const all = { by: "expert", task: 0, seed: 0, ...options };
  await runEpisode(name, import.meta.url, all, Readable.from([input]), (line) => lines.push(line));
  return lines;
}

test("every built-in environment is listed with its tools", () => {
  const lines = renderList(listEnvironments());
  assert.equal(lines.length, 1 + Object.keys(builtIn).length);
  assert.match(lines.find((line) => line.startsWith("arithmetic"))!, /6 +200 +calculate answer$/);
});

test("an episode is played by the expert, at random, and by hand", async () => {
  assert.equal((await run("arithmetic", {})).at(-1), "ended   reward 1   solved 1   turns 2   errors 0");
  assert.deepEqual(
    await run("arithmetic", { by: "random", seed: 4 }),
    await run("arithmetic", { by: "random", seed: 4 }),
  );
  const byHand = await run("arithmetic", { by: "hand" }, "calculate 2 * 3\nsay\nanswer #### 6\n");
  assert.deepEqual(byHand.slice(1), [
    "> calculate 2 * 3\n6",
    "> say\nerror: there is no tool say: use calculate, answer",
    "> answer #### 6",
    "ended   reward 0   solved 0   turns 3   errors 1",
  ]);
  const [first, , last] = (await run("arithmetic", { json: true })).map((line) => JSON.parse(line));
  assert.deepEqual([first.tools.length, last.reward, last.terminated], [2, 1, true]);
});

test("what cannot be played is named", async () => {
  await assert.rejects(run("arithmetic", { by: "me" }), /arithmetic cannot be played by me/);
  await assert.rejects(run("arithmetic", { task: 999 }), /arithmetic has 200 held-out tasks: --task is below that/);
  await assert.rejects(run("arithmetics", {}), /no environment is named arithmetics: did you mean arithmetic\?/);
  await assert.rejects(run("arithmetic", { by: "hand" }), /the input ended before the episode did/);
});

test("verify finds what would spoil a training", async () => {
  const good = builtIn["arithmetic"]!;
  let draws = 0;
  const bad: [Partial<EnvironmentDef>, RegExp][] = [
    [{ trainTask: () => ({ ...(good.trainTask(0, 0) as object), draws: draws++ }) }, /another task for the same seed/],
    [{ trainTask: () => good.heldOutTasks()[0] }, /a train task is a held-out one/],
    [{ trainTask: () => ({ question: "", at: new Date(0) }) }, /no plain data/],
    [{ heldOutTasks: () => [] }, /no held-out tasks/],
    [{ expert: good.random! }, /the expert's mean reward, .* is not above/],
    [{ create: () => ({ ...moody(good), close: async () => {} }) }, /two different episodes/],
  ];
  for (const [change, problem] of bad) {
    const { problems } = await verify({ ...good, ...change } as EnvironmentDef, 5, noSandbox());
    assert.match(problems.join("\n"), problem);
  }
});

let mood = 0;
/** Answers otherwise each time. */
function moody(def: EnvironmentDef) {
  const env = def.create();
  return {
    reset: env.reset.bind(env),
    step: async (...args: Parameters<typeof env.step>) => ({ ...(await env.step(...args)), info: { mood: mood++ } }),
  };
}
