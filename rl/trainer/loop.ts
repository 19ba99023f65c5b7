import { ActorsError } from "../../runtime/index.js";
import type { AdvantageEstimator } from "../algorithms/advantages.js";
import { repeated } from "../algorithms/dynamic-sampling.js";
import type { Reduction } from "../algorithms/reductions.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { Config } from "../config/schema.js";
import type { WeightsRef } from "../policy/weights.js";
import type { RunLedger, StepCounts } from "../run/ledger.js";
import type { TrajectoryRecorder } from "../run/recorder.js";
import { sampledTokens, shortKey } from "../trajectories/trajectory.js";
import type { Critic } from "./critic.js";
import type { FrozenModel } from "./frozen.js";
import type { Generation, StepSamples } from "./generation.js";
import type { Entry } from "./groups.js";
import type { LearnerGroup, UpdateResult } from "./learners.js";
import { maskOlder } from "./masking.js";
import { planStep } from "./plan.js";
import type { Reference } from "./reference.js";
import { combineStats, describeEpisodes, type StepMetrics } from "./report.js";

export interface LearnContext {
  config: Config;
  estimator: AdvantageEstimator;
  reduction: Reduction;
  lossModule: string | null;
  /** null: no price on leaving it. */
  reference: Reference | null;
  /** null: the estimator needs none. */
  critic: Critic | null;
  /** null: nobody to learn from but the rewards. */
  teacher: FrozenModel | null;
  learners: LearnerGroup;
  recorder: TrajectoryRecorder;
  ledger: RunLedger;
  maxSeqLen: number;
  signal: AbortSignal;
  line(text: string): void;
}

export interface LoopContext extends LearnContext {
  generation: Generation;
  /** Version that step 0 trains on. */
  firstVersion: number;
  /** Resolves when every policy samples with these weights. */
  serve(weights: WeightsRef): Promise<void>;
}

/**
 * The policy-gradient steps, one after the other: episodes in, an update of the learner, new weights out. While a step is
 * learned from, the episodes of the next are played, as far as the staleness bound lets them. A step is in the ledger before
 * its weights are served, so that no token is ever sampled by a step that a resumed run does not know.
 */
export async function* trainSteps(c: LoopContext): AsyncGenerator<StepMetrics, void, undefined> {
  const { generation, ledger, firstVersion } = c;
  const { trainer } = c.config;
  const last = trainer.max_training_steps - 1;
  for (let step = ledger.next; step <= last; step++) {
    c.signal.throwIfAborted();
    const clock = new Clock();
    const trainedOn = firstVersion + step;
    await generation.openUpTo(trainedOn, last);
    const taken = await generation.take(step, trainer.step_timeout_seconds * 1000);
    if (taken.failures.length > 0) reportFailures(c, step, taken);
    clock.lap("wait");

    const oldest = trainer.stale_tokens === "mask" ? Math.max(0, trainedOn - stalenessBound(c.config)) : 0;
    const learned = await learnFrom(c, step, taken.groups, { trainedOn, oldest, publish: true });
    clock.lap("update");

    const { duplicates, stale } = generation;
    const { failures, droppedGroups, cutGroups } = taken;
    const counts = { failedEpisodes: failures.length, droppedGroups, cutGroups, duplicates, stale };
    await ledger.append({
      ...{ kind: "step", step, version: learned.version, beta: c.reference?.beta ?? null, oldest, counts },
      trained: taken.groups.flat().map(({ trajectory }) => shortKey(trajectory)),
      dropped: taken.dropped,
      data: generation.position(),
    });
    clock.lap("ledger");
    await c.serve(learned.weights!);
    clock.lap("load");
    yield learned.metrics(clock, generation.idleSeconds(), counts);
  }
}

/** Versions between a token and the step that trains on it. */
export function stalenessBound({ trainer }: Config): number {
  return { sync: 0, one_step_off: 1, async: trainer.max_staleness_steps }[trainer.mode];
}

export interface Learned extends UpdateResult {
  metrics(clock: Clock, idle: number, counts: StepCounts): StepMetrics;
}

/** One step of the learner. The same groups in the same state give the same weights. */
export async function learnFrom(
  c: LearnContext,
  step: number,
  groups: readonly Entry[][],
  at: { trainedOn: number; oldest: number; publish: boolean },
): Promise<Learned> {
  const { trainer } = c.config;
  const trajectories_GS = groups
    .filter((group) => group.length > 0)
    .map((group) => group.map(({ trajectory }) => maskOlder(trajectory, at.oldest)));
  const trained_GS = trainer.algorithm.dynamic_sampling.type
    ? repeated(trajectories_GS, trainer.train_batch_size, deriveSeed(trainer.seed, step))
    : trajectories_GS;
  const kl = (await c.reference?.penalty(trained_GS)) ?? null;
  const values_GST = (await c.critic?.values(trained_GS)) ?? null;
  const teacher_GST = (await c.teacher?.logprobs(trained_GS)) ?? null;
  const place = { world: c.learners.world, step, version: at.trainedOn, kl, values_GST, teacher_GST };
  const planned = planStep(trained_GS, c, c.config, c.maxSeqLen, place);
  const { plans, critic, groupsWithoutSpread, tokens, learning, divergence, fromTeacher } = planned;
  const [result, criticMetrics] = await Promise.all([
    c.learners.update(plans, at.publish),
    critic && c.critic ? c.critic.update(critic) : null,
  ]);
  const { seconds, skipReason, refKl, ...combined } = combineStats(result.stats);
  const klOfStep = trainer.algorithm.use_kl_loss ? refKl : divergence;
  c.reference?.adapt(klOfStep, trained_GS.flat().length);
  if (skipReason !== null) c.line(`step ${step}: an update was left out: ${skipReason}`);
  if (!c.recorder.has(step)) {
    await c.recorder.record(
      step,
      groups.flat().map(({ bytes }) => bytes),
    );
  }
  return {
    ...result,
    metrics(clock, idle, counts) {
      const total = clock.total();
      return {
        ...{ step, version: result.version, ...combined, ...describeEpisodes(trajectories_GS.flat(), at.trainedOn) },
        ...{ episodes: groups.flat().length, groupsWithoutSpread, tokens, tokensPerSecond: tokens / total },
        maskedTokens:
          sampledTokens(groups.flat().map(({ trajectory }) => trajectory)) - sampledTokens(trajectories_GS.flat()),
        ...counts,
        ...learning,
        critic: criticMetrics,
        reference: kl && { kl: klOfStep, beta: kl.beta },
        teacher: fromTeacher === null ? null : { kl: fromTeacher },
        seconds: {
          ...{ total, ...clock.laps, idle, ...seconds, commit: result.commitSeconds },
          perEpisode: total / Math.max(1, groups.flat().length),
        },
      };
    },
  };
}

/** @throws ActorsError when nothing of the step is left to learn from */
function reportFailures({ line }: LoopContext, step: number, { failures, groups }: StepSamples): void {
  if (groups.flat().length === 0) {
    throw new ActorsError("UNAVAILABLE", `every episode of step ${step} failed: ${failures[0]}`);
  }
  line(`step ${step}: ${failures.length} episodes could not be played and are left out: ${failures[0]}`);
}

export class Clock {
  readonly #started = performance.now();
  #at = this.#started;
  readonly laps = { wait: 0, update: 0, ledger: 0, load: 0 };

  lap(name: keyof Clock["laps"]): void {
    const now = performance.now();
    this.laps[name] = (now - this.#at) / 1000;
    this.#at = now;
  }

  total(): number {
    return (performance.now() - this.#started) / 1000;
  }
}
