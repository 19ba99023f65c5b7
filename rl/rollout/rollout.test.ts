import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Learner, type ModelConfig } from "../../native/index.js";
import { type ActorSystem, localSystem } from "../../runtime/index.js";
import { resolveConfig } from "../config/load.js";
import { policyActor } from "../policy/actor.js";
import { sandboxActor } from "../sandbox/actor.js";
import { type EchoTask, echo, echoModule } from "../testing/echo.js";
import { MemoryLog } from "../trajectories/memory.js";
import { decodeTrajectory, encodeTrajectory, sampledTokens, type Trajectory } from "../trajectories/trajectory.js";
import { type Ask, type RolloutOptions, rolloutActor } from "./actor.js";
import { branchOf } from "./branch.js";
import { defineEnvironment, loadEnvironment, parseEnvironmentRef } from "./environment-ref.js";

const folder = mkdtempSync("/dev/shm/rollout-test-");
after(() => rmSync(folder, { recursive: true }));

const model: ModelConfig = {
  ...{ vocabSize: echo.tokenizer.vocabSize, dim: 16, layers: 1, heads: 2, kvHeads: 2, headDim: 8, ffnDim: 32 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 16 },
};

let mood = 0;

/** Three turns, whatever is said; what it answers depends on its mood. */
const chat = defineEnvironment(import.meta.url, {
  ...echo,
  name: "chat",
  maxTurns: 3,
  create: () => {
    let turns = 0;
    return {
      reset: async () => "say 0",
      step: async (action: string) => ({
        ...{ observation: `say ${(turns + mood) % 4}`, reward: Number(action === "1"), potential: 0.1 * ++turns },
        ...{ terminated: turns === 3, truncated: false, info: {} },
      }),
      close: async () => {},
    };
  },
});

/** One turn that earns 1, or hangs; then its grade. */
const graded = defineEnvironment<EchoTask>(import.meta.url, {
  ...echo,
  name: "graded",
  create: () => ({
    reset: async () => "say 0",
    step: async () => ({
      observation: "",
      reward: 1,
      terminated: true,
      truncated: false,
      info: { right: 1, graded: 0 },
    }),
    evaluate: ({ signal }) => {
      if (grades-- > 0) return Promise.resolve({ reward: 2, info: { graded: 1 } });
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("told to stop"))));
    },
    close: async () => {},
  }),
});
let grades = 1;

async function start(system: ActorSystem, run: string, environment = echo.name, version = 9) {
  const learner = Learner.create(model, 1);
  const path = join(folder, `${run}-weights`);
  const published = await learner.publish(path);
  learner.close();
  const policy = await system.spawn(policyActor, {
    args: [{ model, maxSequences: 8, threads: 1, prefix: join(folder, `${run}-`) }],
  });
  await policy.load({ version, path, ...published });
  const sandbox = await system.spawn(sandboxActor, { args: [{ size: 2, backend: "process" }] });
  const options: RolloutOptions = {
    run,
    environment: { module: environment === echo.name ? echoModule : import.meta.url, name: environment },
    policies: [policy],
    sandboxes: [sandbox],
    limits: { maxTurns: 3, maxActionTokens: 2, maxSeqLen: 16, context: resolveConfig({}).generator.context },
    stages: {
      places: { init: 2, run: 4, reward: 2 },
      timeoutMs: { init: 10_000, run: 10_000, reward: 300 },
      queueMs: 10_000,
    },
    maxAttempts: 3,
    callTimeoutMs: 10_000,
    progressMs: 0,
  };
  return system.spawn(rolloutActor, { args: [options] });
}

const ask = (sample: number, task: EchoTask, publish = true): Ask => ({
  ...{ key: `k/0/0/${sample}/0`, step: 0, group: 0, sample, attempt: 0, seed: sample, task, publish },
  sampling: { temperature: 1, topP: 1, topK: 0 },
});

/** What the log holds under these circumstances: `count` trajectories, by sample. */
async function published(system: ActorSystem, run: string, count: number): Promise<Trajectory[]> {
  const found: Trajectory[] = [];
  const log = MemoryLog.of(`${system.cluster.id}/${run}`);
  for await (const { bytes } of log.consume(AbortSignal.timeout(5000))) {
    if (found.push(decodeTrajectory(bytes)) === count) break;
  }
  return found.sort((a, b) => a.sample - b.sample);
}

test("an episode's tokens are the prompt, masked out, then exactly what was sampled, with log-probs and version", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "tokens");
  const asks = Array.from({ length: 12 }, (_, i) => ask(i, { word: String(i % 4) }));
  const outcomes = await rollout.play(asks);
  assert.ok(outcomes.every(({ status }) => status === "done"));
  const trajectories = await published(system, "tokens", 12);
  for (const [i, t] of trajectories.entries()) {
    const prompt = echo.tokenizer.encode(`say ${i % 4}`);
    assert.deepEqual([...t.tokens_T.slice(0, 2)], [...prompt]);
    const sampled = t.tokens_T.length - 2;
    assert.ok(sampled >= 1 && sampled <= 2);
    assert.deepEqual([...t.lossMask_T], [0, 0, ...new Array(sampled).fill(1)]);
    assert.ok(t.logprobs_T.every((p, at) => (at < 2 ? p === 0 : p < 0)));
    assert.deepEqual([...t.versions_T], [0, 0, ...new Array(sampled).fill(9)]);
    assert.equal(t.turns[0]!.action, echo.tokenizer.decode(t.tokens_T.slice(2)));
    assert.equal(t.turns[0]!.potential, (1 + t.reward) / 2);
    assert.equal(t.reward, outcomes[i]!.reward);
  }
});

test("an episode whose last action was cut off says so, one that ended it by itself was submitted", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "cut");
  const outcomes = await rollout.play(Array.from({ length: 12 }, (_, i) => ask(i, { word: String(i % 4) })));
  const ends = (await published(system, "cut", 12)).map(({ tokens_T }) => tokens_T.at(-1) === echo.tokenizer.eos);
  assert.ok(ends.includes(true) && ends.includes(false));
  assert.deepEqual(
    outcomes.map(({ finish }) => finish),
    ends.map((ended) => (ended ? "submitted" : "length")),
  );
});

test("the same ask gives the same episode and counts once", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "twice");
  const [first] = await rollout.play([ask(3, { word: "1" })]);
  const [second] = await rollout.play([ask(3, { word: "1" })]);
  assert.deepEqual(first, second);
  await rollout.play([ask(4, { word: "1" })]);
  assert.deepEqual(
    (await published(system, "twice", 2)).map(({ sample }) => sample),
    [3, 4],
  );
});

test("an episode that is lost for no fault of the policy is played again, and given up with its reason, never scored", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "lost");
  const outcomes = await rollout.play([
    ask(0, { word: "0", losses: 2 }),
    ask(1, { word: "1", losses: 3 }),
    ask(2, { word: "2", broken: true }),
    ask(3, { word: "3" }),
  ]);
  assert.deepEqual(
    outcomes.map(({ status, retries, reason }) => [status, retries, reason]),
    [
      ["done", 2, ""],
      ["failed", 2, "the sandbox broke"],
      ["failed", 0, "a mistake in the environment"],
      ["done", 0, ""],
    ],
  );
  assert.deepEqual(
    (await published(system, "lost", 2)).map(({ sample }) => sample),
    [0, 3],
  );
});

/** Earns what its word says, in a step or when it is graded. */
const weigher = defineEnvironment<EchoTask>(import.meta.url, {
  ...echo,
  name: "weigher",
  create: () => {
    let word = "";
    const earned = () => (word === "step" ? Number.NaN : 1);
    return {
      reset: async (task) => {
        word = task.word;
        return "say 0";
      },
      step: async () => ({
        ...{ observation: "", reward: earned(), info: {} },
        ...{ terminated: true, truncated: false },
      }),
      evaluate: async () => ({ reward: 1, info: { share: word === "grade" ? 1 / 0 : 1 } }),
      close: async () => {},
    };
  },
});

test("an episode whose reward or figures are not finite is given up, and says where", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "weigh", weigher.name);
  const outcomes = await rollout.play(["step", "grade", "fine"].map((word, i) => ask(i, { word })));
  assert.deepEqual(
    outcomes.map(({ status, retries, reason }) => [status, retries, reason]),
    [
      ["failed", 0, "weigher: reward of turn 1 is NaN, no finite number"],
      ["failed", 0, "weigher: share of the evaluation is Infinity, no finite number"],
      ["done", 0, ""],
    ],
  );
});

test("an episode goes on from its last complete turn, sampling only what is missing, or anew where its environment differs", async () => {
  await using system = await localSystem();
  const whole = await start(system, "whole", chat.name);
  await whole.play([ask(0, { word: "0" })]);
  const told = await published(system, "whole", 3); // after each of two turns, and at its end
  told.sort((a, b) => a.turns.length - b.turns.length);
  assert.deepEqual(
    told.map(({ finish }) => finish === ""),
    [true, true, false],
  );
  const [, second, last] = told;
  for (const newMood of [0, 1]) {
    const run = `mood ${newMood}`;
    const rollout = await start(system, run, chat.name, 10);
    mood = newMood;
    await rollout.play([{ ...ask(0, { word: "0" }), progress: encodeTrajectory(second!) }]);
    const continued = (await published(system, run, newMood === 0 ? 1 : 3)).find(({ finish }) => finish !== "")!;
    const versions = continued.turns.map(({ start }) => continued.versions_T[start]);
    assert.deepEqual(versions, newMood === 0 ? [9, 9, 10] : [10, 10, 10]);
    if (newMood === 0) assert.deepEqual(continued.tokens_T, last!.tokens_T);
  }
});

test("an evaluation counts for the last turn, and one that hangs is a fault with the name of its bound", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "graded", graded.name);
  const asks = [ask(0, { word: "0" }), ask(1, { word: "0" })];
  const [first, second] = [await rollout.play([asks[0]!]), await rollout.play([asks[1]!])].flat();
  assert.deepEqual([first!.reward, first!.metrics], [3, { right: 1, graded: 1 }]);
  assert.equal(second!.status, "failed");
  assert.match(second!.reason, /the reward stage of an episode \(generator.stage_timeout_seconds.reward\) took longer/);
  const [trajectory] = await published(system, "graded", 1);
  assert.equal(trajectory!.turns[0]!.reward, 3);
  const { generate, run: ran } = trajectory!.stages;
  assert.ok(generate > 0 && generate <= ran);
});

test("a branch has the beginning of what it branches off, and goes on with dice of its own", async () => {
  await using system = await localSystem();
  const rollout = await start(system, "tree", chat.name);
  mood = 0;
  const wish = ask(0, { word: "0" });
  await rollout.play([wish]);
  const root = (await published(system, "tree", 3)).find(({ finish }) => finish !== "")!;
  const branched = await start(system, "branches", chat.name, 10);
  for (const seed of [101, 102, 103]) {
    const progress = branchOf(root, seed)!;
    await branched.play([{ ...ask(seed, { word: "0" }), progress }]);
  }
  const ended = new Map<number, Trajectory>();
  for (const t of await published(system, "branches", 3)) if (t.finish !== "") ended.set(t.sample, t);
  for (const [seed, { tokens_T, turns, shared, lossMask_T }] of ended) {
    const { end, summary } = turns[decodeTrajectory(branchOf(root, seed)!).turns.length - 1]!;
    assert.ok(shared > 0 && !summary);
    assert.deepEqual(tokens_T.slice(0, end), root.tokens_T.slice(0, end));
    assert.equal(sampledTokens([{ lossMask_T: lossMask_T.slice(0, end) }]), shared);
  }
  assert.ok(new Set([root, ...ended.values()].map(({ tokens_T }) => tokens_T.join())).size > 1);
});

test("an environment that does not exist is named", async () => {
  const at = import.meta.url;
  await assert.rejects(
    loadEnvironment(parseEnvironmentRef("quikstart", at)),
    /no environment is named quikstart: did you mean quickstart\?/,
  );
  await assert.rejects(
    loadEnvironment(parseEnvironmentRef("./nowhere.js", at)),
    /cannot load the environment file:.*nowhere.js/,
  );
  await assert.rejects(
    loadEnvironment({ module: echoModule, name: "ecco" }),
    /has no export ecco that is an EnvironmentDef/,
  );
});
