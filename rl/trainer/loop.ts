import { ActorsError } from "../../runtime/index.js";
import type { AdvantageEstimator } from "../algorithms/advantages.js";
import { repeated } from "../algorithms/dynamic-sampling.js";
import type { Reduction } from "../algorithms/reductions.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { Config } from "../config/schema.js";
import type { WeightsRef } from "../policy/weights.js";
import type { TrajectoryRecorder } from "../run/recorder.js";
import type { Critic } from "./critic.js";
import type { Generation } from "./generation.js";
import type { LearnerGroup } from "./learners.js";
import { planStep } from "./plan.js";
import type { Reference } from "./reference.js";
import { combineStats, describeEpisodes, type StepMetrics } from "./report.js";

export interface LoopContext {
  config: Config;
  estimator: AdvantageEstimator;
  reduction: Reduction;
  lossModule: string | null;
  /** null: no price on leaving it. */
  reference: Reference | null;
  /** null: the estimator needs none. */
  critic: Critic | null;
  learners: LearnerGroup;
  generation: Generation;
  recorder: TrajectoryRecorder;
  maxSeqLen: number;
  signal: AbortSignal;
  /** Resolves when every policy samples with these weights. */
  serve(weights: WeightsRef): Promise<void>;
  line(text: string): void;
}

/**
 * The policy-gradient steps, one after the other: episodes in, an update of the learner, new weights out. While a step is
 * learned from, the episodes of the next are played, as far as the staleness bound lets them.
 */
export async function* trainSteps(c: LoopContext): AsyncGenerator<StepMetrics, void, undefined> {
  const { learners, generation } = c;
  const { trainer } = c.config;
  const firstVersion = learners.committed!;
  const last = trainer.max_training_steps - 1;
  for (let step = 0; step <= last; step++) {
    c.signal.throwIfAborted();
    const clock = new Clock();
    const trainedOn = firstVersion + step;
    generation.openUpTo(trainedOn, last);
    const book = await generation.take(step, trainer.step_timeout_seconds * 1000);
    const groups = book.groups();
    const failures = book.failures();
    if (failures.length > 0) reportFailures(c, step, failures, groups.flat().length);
    clock.lap("wait");

    const trajectories_GS = groups.filter((g) => g.length > 0).map((g) => g.map(({ trajectory }) => trajectory));
    const trained_GS = c.config.trainer.algorithm.dynamic_sampling.type
      ? repeated(trajectories_GS, trainer.train_batch_size, deriveSeed(trainer.seed, step))
      : trajectories_GS;
    const kl = (await c.reference?.penalty(trained_GS)) ?? null;
    const values_GST = (await c.critic?.values(trained_GS)) ?? null;
    const at = { world: learners.world, step, version: trainedOn, kl, values_GST };
    const planned = planStep(trained_GS, c, c.config, c.maxSeqLen, at);
    const { plans, critic, groupsWithoutSpread, tokens, learning, divergence } = planned;
    const [{ stats, version, weights, commitSeconds }, criticMetrics] = await Promise.all([
      learners.update(plans, true),
      critic && c.critic ? c.critic.update(critic) : null,
    ]);
    clock.lap("update");

    await c.serve(weights!);
    clock.lap("load");
    generation.commit(step);
    const bytes = groups.flat().map((entry) => entry.bytes);
    await c.recorder.record(step, bytes);

    const { seconds, skipReason, refKl, ...combined } = combineStats(stats);
    const klOfStep = trainer.algorithm.use_kl_loss ? refKl : divergence;
    c.reference?.adapt(klOfStep, trained_GS.flat().length);
    if (skipReason !== null) c.line(`step ${step}: an update was left out: ${skipReason}`);
    const total = clock.total();
    yield {
      ...{ step, version, ...combined, ...describeEpisodes(trajectories_GS.flat(), trainedOn) },
      ...{
        episodes: bytes.length,
        failedEpisodes: failures.length,
        groupsWithoutSpread,
        droppedGroups: book.dropped(),
      },
      ...{ tokens, tokensPerSecond: tokens / total, duplicates: generation.duplicates, stale: generation.stale },
      ...learning,
      critic: criticMetrics,
      reference: kl && { kl: klOfStep, beta: kl.beta },
      seconds: {
        total,
        ...clock.laps,
        ...seconds,
        commit: commitSeconds,
        perEpisode: total / Math.max(1, bytes.length),
      },
    };
  }
}

/** @throws ActorsError when nothing of the step is left to learn from */
function reportFailures({ line }: LoopContext, step: number, failures: string[], played: number): void {
  if (played === 0) throw new ActorsError("UNAVAILABLE", `every episode of step ${step} failed: ${failures[0]}`);
  line(`step ${step}: ${failures.length} episodes could not be played and are left out: ${failures[0]}`);
}

class Clock {
  readonly #started = performance.now();
  #at = this.#started;
  readonly laps = { wait: 0, update: 0, load: 0 };

  lap(name: keyof Clock["laps"]): void {
    const now = performance.now();
    this.laps[name] = (now - this.#at) / 1000;
    this.#at = now;
  }

  total(): number {
    return (performance.now() - this.#started) / 1000;
  }
}
