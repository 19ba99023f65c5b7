import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeLogger } from "../../../runtime/index.js";
import type { Lease } from "../../sandbox/lease.js";
import { SandboxPool } from "../../sandbox/pool.js";
import { chooseBackend } from "../../sandbox/probe.js";
import { defaultLimits } from "../../sandbox/session.js";
import type { EnvContext } from "../environment.js";
import { play as playScript } from "../play.js";
import { seededRandom } from "../random.js";
import { demonstration } from "./demonstrations.js";
import { quickstart } from "./index.js";
import { maxTurns } from "./quickstart.js";
import { heldOutTasks, type QuickstartTask, trainTask } from "./task.js";
import { tokenizer, values } from "./vocabulary.js";

let pool: SandboxPool;
let lease: Lease;
let context: EnvContext;
const bytes = new TextEncoder();

before(async () => {
  const log = makeLogger("test");
  const { backend } = await chooseBackend({}, defaultLimits, log);
  pool = new SandboxPool({ backend, limits: defaultLimits, size: 1, log });
  await pool.start();
  lease = await pool.acquire();
  context = { sandbox: lease, signal: new AbortController().signal };
});
after(() => pool.close());

async function play(task: QuickstartTask, actions: string[]) {
  const environment = quickstart.create();
  const observations = [await environment.reset(task, context)];
  for (const action of actions) {
    const step = await environment.step(action, context);
    observations.push(step.observation);
    if (step.terminated || step.truncated) return { observations, ...step };
  }
  return { observations, reward: 0, terminated: false, truncated: false, info: {} };
}

const leaf = (task: QuickstartTask) => task.chain.at(-1) as string;
const solve = (task: QuickstartTask) => [`edit ${leaf(task)} ${task.want}`, "submit"];

test("following the live includes solves every held-out task", async () => {
  for (const task of heldOutTasks()) {
    const { reward } = await playScript(quickstart, task, quickstart.expert!, seededRandom(1), context);
    assert.equal(reward, 1, JSON.stringify(task));
  }
});

test("random actions solve next to nothing", async () => {
  const random = seededRandom(7);
  let solved = 0;
  for (let i = 0; i < 100; i++) {
    solved += (await playScript(quickstart, trainTask(1, i), quickstart.random!, random, context)).reward;
  }
  assert.ok(solved <= 2, `${solved} of 100`);
});

test("editing a decoy, the wrong value, or everything in sight earns nothing", async () => {
  const task = trainTask(1, 0);
  const wrong = values.find((value) => value !== task.want);
  assert.equal((await play(task, solve(task))).reward, 1);
  assert.equal((await play(task, [`edit ${leaf(task)} ${wrong}`, "submit"])).reward, 0);
  assert.equal((await play(task, ["submit"])).reward, 0);
  for (const decoy of task.decoys)
    assert.equal((await play(task, [`edit ${decoy} ${task.want}`, ...solve(task)])).reward, 0);
});

test("the check and its expectation are not the agent's to write, and what lies there at the end does not count", async () => {
  const task = trainTask(1, 1);
  const attempts = ["edit check 1", "edit expect 1", "edit ../check 1", "read ../expect", "read check", "edit conf 1"];
  for (const attempt of attempts) {
    const { observations } = await play(task, [attempt]);
    assert.equal(observations[1], "error\n$", attempt);
  }
  const environment = quickstart.create();
  await environment.reset(task, context);
  const lie = [
    { path: "check", content: bytes.encode("echo ok; exit 0\n"), mode: 0o755 },
    { path: "expect", content: bytes.encode(`from ${leaf(task)}\nneed ${task.files[leaf(task)]}`) },
  ];
  await lease.run(lie.map((write) => ({ write })));
  assert.equal((await environment.step("check", context)).observation, "ok\n$");
  assert.equal((await environment.step("submit", context)).reward, 0);
});

test("links and pipes in place of the check do not survive to the grading", async () => {
  const task = trainTask(1, 2);
  const environment = quickstart.create();
  await environment.reset(task, context);
  const script = "rm check expect; ln -s /bin/true check; mkfifo expect";
  await lease.run([{ exec: { argv: ["sh", "-c", script] } }]);
  assert.equal((await environment.step("submit", context)).reward, 0);
});

test("the check tool says what the grading will say", async () => {
  const task = trainTask(1, 3);
  const { observations } = await play(task, ["check", ...solve(task).slice(0, 1), "check", "submit"]);
  assert.deepEqual(observations.slice(1, 4), ["fail\n$", "done\n$", "ok\n$"]);
});

test("an include cannot be edited away, and an edit of it changes nothing", async () => {
  const task = trainTask(1, 4);
  const { observations, reward } = await play(task, [`edit ${task.chain[0]} ${task.want}`, ...solve(task)]);
  assert.equal(observations[1], "none\n$");
  assert.equal(reward, 1);
});

test("what is no action is an error the agent reads, and the budget ends the episode unjudged", async () => {
  const task = trainTask(1, 5);
  const actions = ["", "read", "read a b", "edit api", "submit now", "<unk> $", "fix it"];
  const { observations, truncated, terminated, reward, info } = await play(task, actions);
  assert.ok(observations.slice(1, -1).every((observation) => observation === "error\n$"));
  assert.ok(truncated && !terminated && reward === 0);
  assert.deepEqual(info, { solved: 0, turns: maxTurns, errors: maxTurns });
});

test("a demonstration reads as the environment answers", async () => {
  for (let i = 0; i < 60; i++) {
    const task = trainTask(4, i);
    const { prompt, turns } = demonstration(task, seededRandom(4, i));
    const played = await play(
      task,
      turns.map((turn) => turn.action),
    );
    assert.deepEqual(played.observations, [prompt, ...turns.map((turn) => turn.observation)]);
  }
});

test("every observation is made of known words", async () => {
  const unknown = tokenizer.encode("?")[0] as number;
  for (let i = 0; i < 20; i++) {
    const task = trainTask(5, i);
    const { observations } = await play(task, [...Object.keys(task.files).map((name) => `read ${name}`), "check"]);
    for (const text of observations) assert.ok(!tokenizer.encode(text).includes(unknown), text);
  }
});
