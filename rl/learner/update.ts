import type { Collective, Learner, LossSpec, LossStats } from "../../native/index.js";
import {
  addWeights,
  type Correction,
  correctionWeights,
  noWeights,
  type WeightSums,
} from "../algorithms/corrections.js";
import { mismatch } from "../algorithms/mismatch.js";
import { microBatches, nativeBatch, type PackedBatch } from "./batch.js";

/** One rank's share of an optimizer update. */
export interface MiniBatch {
  batch: PackedBatch;
  /** Of the whole mini-batch over all ranks; see algorithms/reductions.ts. */
  normalizer: number;
}

export type LossSettings =
  | {
      kind: "policy";
      clipLow: number;
      clipHigh: number;
      entropyCoef: number;
      /** The proximal policy: as the engine sampled, or this learner before the first update of the request. */
      old: "rollout" | "learner";
      corrections: Correction[];
    }
  | { kind: "cross_entropy" };

export interface OptimizerSettings {
  beta1: number;
  beta2: number;
  weightDecay: number;
  /** 0: no clipping. */
  maxGradNorm: number;
}

export interface UpdatePlan {
  /** Gone through `epochs` times, one optimizer update each. */
  miniBatches: MiniBatch[];
  epochs: number;
  loss: LossSettings;
  optimizer: OptimizerSettings;
  /** Learning rate of each update. */
  rates: number[];
  maxTokens: number;
}

/** Sums of this rank over all updates of a plan; `*Sum` are weighted by tokens, so that ranks add up. */
export interface UpdateStats {
  tokens: number;
  updates: number;
  /** Sum over updates of this rank's share of the loss. */
  loss: number;
  entropySum: number;
  clippedSum: number;
  klSum: number;
  ratioMax: number;
  /** Largest over the updates; the same on all ranks. */
  gradNorm: number;
  /** Updates left out because a gradient was not finite, and why. */
  skipped: number;
  skipReason: string | null;
  /** |log p of the learner - log p of the engine| of sampled tokens: all of them with `old: learner`, else of the first micro-batch. */
  mismatch: Float32Array;
  /** Of the off-policy corrections; no tokens with `old: rollout`. */
  weights: WeightSums;
  seconds: { logprobs: number; forwardBackward: number; allReduce: number; optimizer: number };
}

/**
 * Runs the plan on one rank; all ranks run theirs at once, and meet in the all-reduce of each update.
 * @throws NativeError TIMEOUT or ABORTED when a peer is lost. The learner must then be restored: gradients are half summed.
 */
export async function runUpdates(
  learner: Learner,
  collective: Collective | null,
  plan: UpdatePlan,
  signal: AbortSignal,
): Promise<UpdateStats> {
  const stats = emptyStats();
  const timed = stopwatch(stats.seconds);
  const proximal = await timed("logprobs", () => proximalLogprobs(learner, plan, stats, signal));
  for (let update = 0; update < plan.epochs * plan.miniBatches.length; update++) {
    const i = update % plan.miniBatches.length;
    const { batch, normalizer } = plan.miniBatches[i]!;
    const loss = lossSpec(plan.loss, normalizer);
    await timed("forwardBackward", async () => {
      for (const at of microBatches(batch, plan.maxTokens)) {
        add(stats, await learner.forwardBackward(nativeBatch(batch, at, proximal[i]!), loss, signal));
      }
    });
    if (collective) await timed("allReduce", () => learner.allReduceGrads(collective, signal));
    const step = await timed("optimizer", () => learner.optimStep({ lr: plan.rates[update]!, ...plan.optimizer }));
    stats.updates++;
    stats.gradNorm = Math.max(stats.gradNorm, step.gradNorm);
    if (step.skipped) {
      stats.skipped++;
      stats.skipReason = step.reason;
    }
  }
  return stats;
}

/** Old log-probs and the advantages that go with them, for each mini-batch. */
async function proximalLogprobs(
  learner: Learner,
  { miniBatches, loss, maxTokens }: UpdatePlan,
  stats: UpdateStats,
  signal: AbortSignal,
): Promise<{ advantages_N: Float32Array; old_N: Float32Array }[]> {
  const asSampled = miniBatches.map(({ batch }) => ({ advantages_N: batch.advantages_N, old_N: batch.rolloutLogp_N }));
  if (loss.kind === "cross_entropy") return asSampled;
  if (loss.old === "rollout") {
    const first = miniBatches[0]?.batch;
    const probe = first && microBatches(first, probeTokens).next().value;
    if (first && probe) {
      const { logp } = await learner.logprobs(
        { tokens: first.tokens_N.subarray(0, probe.to), starts: probe.starts },
        signal,
      );
      stats.mismatch = mismatch(
        logp,
        first.rolloutLogp_N.subarray(0, probe.to),
        first.lossMask_N.subarray(0, probe.to),
      );
    }
    return asSampled;
  }
  const gaps: Float32Array[] = [];
  const recomputed = [];
  for (const { batch } of miniBatches) {
    const old_N = new Float32Array(batch.tokens_N.length);
    for (const { from, to, starts } of microBatches(batch, maxTokens)) {
      old_N.set((await learner.logprobs({ tokens: batch.tokens_N.subarray(from, to), starts }, signal)).logp, from);
    }
    const { rolloutLogp_N, lossMask_N, starts_B1 } = batch;
    gaps.push(mismatch(old_N, rolloutLogp_N, lossMask_N));
    const weights_N = correctionWeights(old_N, rolloutLogp_N, lossMask_N, starts_B1, loss.corrections);
    addWeights(stats.weights, weights_N, lossMask_N);
    recomputed.push({ advantages_N: batch.advantages_N.map((a, i) => a * weights_N[i]!), old_N });
  }
  stats.mismatch = Float32Array.from(gaps.flatMap((gap) => [...gap]));
  return recomputed;
}

const probeTokens = 1024;

function lossSpec(loss: LossSettings, normalizer: number): LossSpec {
  if (loss.kind === "cross_entropy") return { kind: "cross_entropy", normalizer };
  const { clipLow, clipHigh, entropyCoef } = loss;
  return { kind: "policy", clipLow, clipHigh, entropyCoef, normalizer };
}

function emptyStats(): UpdateStats {
  return {
    tokens: 0,
    updates: 0,
    loss: 0,
    entropySum: 0,
    clippedSum: 0,
    klSum: 0,
    ratioMax: 0,
    gradNorm: 0,
    skipped: 0,
    skipReason: null,
    mismatch: new Float32Array(0),
    weights: noWeights(),
    seconds: { logprobs: 0, forwardBackward: 0, allReduce: 0, optimizer: 0 },
  };
}

function add(stats: UpdateStats, part: LossStats): void {
  stats.tokens += part.tokens;
  stats.loss += part.loss;
  stats.entropySum += part.entropy * part.tokens;
  stats.clippedSum += part.clipFraction * part.tokens;
  stats.klSum += part.klOld * part.tokens;
  stats.ratioMax = Math.max(stats.ratioMax, part.ratioMax);
}

function stopwatch<K extends string>(seconds: Record<K, number>) {
  return async <T>(phase: K, work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      return await work();
    } finally {
      seconds[phase] += (performance.now() - started) / 1000;
    }
  };
}
