import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advantages } from "../rl/algorithms/advantages.js";
import { reductions } from "../rl/algorithms/reductions.js";
import { deriveSeed } from "../rl/algorithms/seeds.js";
import { resolveConfig } from "../rl/config/load.js";
import type { ConfigInput } from "../rl/config/schema.js";
import type { LearnerActor } from "../rl/learner/actor.js";
import type { RolloutActor } from "../rl/rollout/actor.js";
import { EpisodeStore } from "../rl/run/episodes.js";
import { RunLedger } from "../rl/run/ledger.js";
import { TrajectoryRecorder } from "../rl/run/recorder.js";
import { Generation } from "../rl/trainer/generation.js";
import { LearnerGroup } from "../rl/trainer/learners.js";
import { stalenessBound, trainSteps } from "../rl/trainer/loop.js";
import type { StepMetrics } from "../rl/trainer/report.js";
import { RolloutPool } from "../rl/trainer/rollouts.js";
import { openTrajectoryLog } from "../rl/trajectories/log.js";
import type { ActorSystem, Handle } from "../runtime/index.js";
import type { Benchmark, Report } from "./harness.js";
import { startBench } from "./measure.js";
import { shareOf, simulatedLearner, simulatedRollout } from "./trainer-actors.js";

/** Seconds of a step of verl's 7B with responses of up to 28K tokens on 128 H20, as its authors publish them. */
const published = { sync: 356.3, syncGeneration: 177.9, async: 150.6, asyncWait: 33.1 };
const [prompts, samples] = [64, 8];
/** Of these the first and the last ones are not counted: at first nothing is under way, at last nothing more is asked for. */
const [steps, edge] = [14, 4];
/** Seconds there for one here. */
const scale = 50;

type Trainer = NonNullable<ConfigInput["trainer"]>;
/** Half of the GPUs decode half as many responses at once; the other half learns, and computes no old log-probs. */
const settings: Record<string, { trainer: Trainer; slots: number; learn: number }> = {
  sync: { trainer: { mode: "sync" }, slots: 1, learn: published.sync - published.syncGeneration },
  "one step off": { trainer: { mode: "one_step_off" }, slots: 0.5, learn: published.async - published.asyncWait },
  async: {
    trainer: { mode: "async", max_staleness_steps: 3 },
    slots: 0.5,
    learn: published.async - published.asyncWait,
  },
};

const bench: Benchmark = {
  claim:
    "On a simulated cluster with verl's published times (7B, 28K tokens, 128 GPUs) our control plane reaches its published async over sync, 2.35.",
  leavesOut: [
    "models, engines and weights: actors wait as long as those would take",
    "how response lengths are really distributed: lognormal, cut at the longest, with the mean at which half of the engines keep the published pace",
    "that engines slow down with more responses at once",
  ],

  async measure(report, { runs = 1 }) {
    const { system, stop } = await startBench({ nodes: 1 });
    const folder = mkdtempSync(join(tmpdir(), "bench-trainer-"));
    try {
      for (let run = 0; run < runs; run++) {
        const seconds: Record<string, number> = {};
        for (const name of Object.keys(settings)) {
          report.progress(`${name}, run ${run + 1} of ${runs}`);
          seconds[name] = await measure(report, name, system, mkdtempSync(join(folder, "run-")));
        }
        report.add("one step off over sync", "x", seconds["sync"]! / seconds["one step off"]!);
        report.add("async over sync", "x", seconds["sync"]! / seconds["async"]!);
        report.add("async over the published sync", "x", published.sync / seconds["async"]!);
      }
      report.remark(
        `seconds of the simulated cluster, ${scale} for one of the clock; published: ${published.sync} sync, ${published.async} async`,
      );
      report.remark(
        `${prompts} prompts x ${samples} samples a step, ${steps} steps, the first and the last ${edge} not counted; mean length ${meanShare().toFixed(2)} of the longest`,
      );
      report.remark("real: trainer, JetStream, episode store and ledger with fsync, calls between processes");
    } finally {
      await stop();
      rmSync(folder, { recursive: true });
    }
  },
};
export default bench;

/** Slots at which `share` of the engines make a batch in the published time, if the whole makes one in half of it. */
function slotsOf(share: number): number {
  if (share === 1) return prompts * samples;
  return Math.round((prompts * samples * meanShare() * published.syncGeneration) / published.async);
}

function meanShare(): number {
  const count = 100_000;
  return Array.from({ length: count }, (_, i) => shareOf(deriveSeed(9, i))).reduce((sum, share) => sum + share) / count;
}

async function measure(report: Report, name: string, system: ActorSystem, folder: string): Promise<number> {
  const { trainer, slots: share, learn } = settings[name]!;
  const config = resolveConfig({
    trainer: { ...trainer, train_batch_size: prompts, max_training_steps: steps, learner_ranks: 1 },
    generator: { n_samples_per_prompt: samples },
  });
  const run = `${name.replaceAll(" ", "-")}-${folder.slice(-6)}`;
  const slots = slotsOf(share);
  const longestMs = (published.syncGeneration * 1000) / scale;
  const rollout = await system.spawn(simulatedRollout, { args: [{ run, slots, longestMs }] });
  const learner = await system.spawn(simulatedLearner, { args: [(learn * 1000) / scale] });
  const { signal } = new AbortController();
  const common = { signal, timeoutMs: 300_000, line: (text: string) => report.remark(`${name}: ${text}`) };
  const learners = new LearnerGroup([learner as unknown as Handle<LearnerActor>], common);
  await learners.start();
  await learners.publish();
  const [store, ledger] = [new EpisodeStore(join(folder, "episodes")), await RunLedger.open(folder)];
  const [recorder, log] = [new TrajectoryRecorder(folder), openTrajectoryLog(system, run)];
  const generation = new Generation(new RolloutPool([rollout as unknown as Handle<RolloutActor>], common), log, store, {
    ...{
      run,
      samples,
      roots: samples,
      wanted: prompts,
      ordered: trainer.mode !== "async",
      spare: 0,
      dynamic: null,
      workers: slots,
    },
    ...{ staleTokens: "redo", maxAttempts: 4, maxStaleness: stalenessBound(config), firstVersion: 0, ...common },
    describe: ({ step, group, sample }) => ({
      ...{ task: null, seed: deriveSeed(7, step, group, sample), sampling: { temperature: 1, topP: 1, topK: 0 } },
    }),
  });
  const measured: StepMetrics[] = [];
  try {
    for await (const metrics of trainSteps({
      ...{ config, generation, learners, recorder, ledger, maxSeqLen: 4, firstVersion: 0, ...common },
      ...{ reference: null, critic: null, teacher: null, lossModule: null },
      ...{
        estimator: await advantages.load("grpo", import.meta.url),
        reduction: await reductions.load("token_mean", import.meta.url),
      },
      serve: ({ version }) => rollout.load(version),
    })) {
      if (metrics.step >= edge && metrics.step < steps - edge) measured.push(metrics);
    }
  } finally {
    await generation.close();
    await log.remove();
    await Promise.all([store.close(), ledger.close(), recorder.close()]);
    await Promise.all([system.stop(rollout), system.stop(learner)]);
  }
  const mean = (of: (m: StepMetrics) => number) => measured.reduce((sum, m) => sum + of(m), 0) / measured.length;
  const seconds = mean((m) => m.seconds.total) * scale;
  report.add(`${name}: a step`, "s", seconds);
  report.add(`${name}: the learner waited`, "s", mean((m) => m.seconds.wait) * scale);
  report.add(`${name}: rollouts waited`, "s", mean((m) => m.seconds.idle) * scale);
  report.add(
    `${name}: mean staleness`,
    "steps",
    mean((m) => m.staleness.mean),
  );
  report.add(`${name}: largest staleness`, "steps", Math.max(...measured.map((m) => m.staleness.max)));
  report.add(`${name}: played again, too old`, "", measured.at(-1)!.stale);
  return seconds;
}
