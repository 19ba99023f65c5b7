import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Learner, type ModelConfig } from "../native/index.js";
import { deriveSeed } from "../rl/algorithms/seeds.js";
import { resolveConfig } from "../rl/config/load.js";
import { policyActor } from "../rl/policy/actor.js";
import { type Ask, rolloutActor } from "../rl/rollout/actor.js";
import { sandboxActor } from "../rl/sandbox/actor.js";
import { echo } from "../rl/testing/echo.js";
import type { ActorSystem } from "../runtime/index.js";
import type { Benchmark } from "./harness.js";
import { timed as clock, startBench } from "./measure.js";
import { type PipelineTask, timedModule, turns } from "./pipeline-actors.js";
import { shareOf } from "./trainer-actors.js";

const places = 64;
const batches = 12;
/** The longest of a batch of hundreds, in ms: perhaps a hundredth of what software tasks take. */
const longestMs = { init: 1_000, run: 4_000, reward: 2_000 };
const timeoutMs = 120_000;

const model: ModelConfig = {
  ...{ vocabSize: echo.tokenizer.vocabSize, dim: 16, layers: 1, heads: 2, kvHeads: 2, headDim: 8, ffnDim: 32 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 64 },
};

const bench: Benchmark = {
  claim:
    "Bounded stages that refill at once play a long-tailed mix of episodes at least 1.5 times as fast as a batch at a time.",
  leavesOut: [
    "real preparation, tools and tests: the environment waits as long as they would take",
    "an engine that slows down with more episodes at once: its model is tiny",
  ],

  async measure(report, { runs = 1 }) {
    const { system, stop } = await startBench({ nodes: 1 });
    const folder = mkdtempSync("/dev/shm/bench-pipeline-");
    try {
      const play = await player(system, folder);
      for (let run = 1; run <= runs; run++) {
        report.progress(`run ${run} of ${runs}`);
        const tasks = Array.from({ length: batches }, (_, b) => batchOf(run, b));
        const staged = await clock(() => each(tasks, (batch, b) => play(together(batch, `${run}/${b}`))));
        const batched = await clock(() => each(tasks, play));
        const piped = await clock(() => play(tasks.flat()));
        const episodes = places * batches;
        report.add("stages one after the other", "episodes/s", (episodes * 1000) / staged);
        report.add("a batch at a time", "episodes/s", (episodes * 1000) / batched);
        report.add("stages refilled at once", "episodes/s", (episodes * 1000) / piped);
        report.add("refilled over a batch at a time", "x", batched / piped);
        report.add("refilled over one stage after the other", "x", staged / piped);
      }
      report.remark(
        `${batches} batches of ${places} episodes of ${turns} turns; ${places} places in each stage; lognormal times with a mean of 0.42 of the longest, which is ${longestMs.init} ms to prepare, ${longestMs.run} to run, ${longestMs.reward} to grade`,
      );
      report.remark("real: rollout actor, policy and engine, sandbox checkout, trajectory log");
    } finally {
      await stop();
      rmSync(folder, { recursive: true });
    }
  },
};
export default bench;

async function each<T>(list: readonly T[], work: (item: T, i: number) => Promise<void>): Promise<void> {
  for (const [i, item] of list.entries()) await work(item, i);
}

function batchOf(run: number, batch: number): PipelineTask[] {
  return Array.from({ length: places }, (_, i) => {
    const seed = (part: number) => deriveSeed(17, run, batch, i, part);
    const turnMs = (longestMs.run * shareOf(seed(0))) / turns;
    return {
      initMs: longestMs.init * shareOf(seed(1)),
      turnsMs: Array.from({ length: turns }, () => turnMs),
      rewardMs: longestMs.reward * shareOf(seed(2)),
      together: null,
    };
  });
}

const together = (batch: readonly PipelineTask[], name: string) =>
  batch.map((task) => ({ ...task, together: { name, episodes: batch.length } }));

/** Plays episodes by a real rollout actor. */
async function player(system: ActorSystem, folder: string) {
  const learner = Learner.create(model, 1);
  const path = join(folder, "weights");
  const published = await learner.publish(path);
  learner.close();
  const policy = await system.spawn(policyActor, {
    args: [{ model, maxSequences: places, threads: 1, prefix: join(folder, "policy-") }],
  });
  await policy.load({ version: 1, path, ...published });
  const sandbox = await system.spawn(sandboxActor, { args: [{ size: 3 * places, backend: "process" }] });
  const run = "pipeline";
  const rollout = await system.spawn(rolloutActor, {
    args: [
      {
        run,
        environment: { module: timedModule, name: "timed" },
        ...{ policies: [policy], sandboxes: [sandbox] },
        limits: { maxTurns: turns, maxActionTokens: 2, maxSeqLen: 64, context: resolveConfig({}).generator.context },
        stages: {
          places: { init: places, run: places, reward: places },
          timeoutMs: { init: timeoutMs, run: timeoutMs, reward: timeoutMs },
          queueMs: timeoutMs,
        },
        ...{ maxAttempts: 1, callTimeoutMs: timeoutMs, progressMs: timeoutMs },
      },
    ],
  });
  let asked = 0;
  return async (tasks: readonly PipelineTask[]): Promise<void> => {
    const asks = tasks.map((task): Ask => {
      const n = asked++;
      const at = { key: `${run}/0/${n}/0/0`, step: 0, group: n, sample: 0, attempt: 0, seed: n };
      return { ...at, task, publish: true, sampling: { temperature: 1, topP: 1, topK: 0 } };
    });
    const outcomes = await rollout.play.with({ timeoutMs })(asks);
    const failed = outcomes.find(({ status }) => status === "failed");
    if (failed) throw new Error(`${failed.key}: ${failed.reason}`);
  };
}
