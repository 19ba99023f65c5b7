import type { Collective, Learner, LossSpec, LossStats, TokenLoss } from "../../native/index.js";
import {
  addWeights,
  type Correction,
  correctionWeights,
  noWeights,
  type WeightSums,
} from "../algorithms/corrections.js";
import type { KlEstimatorName } from "../algorithms/kl.js";
import { mismatch } from "../algorithms/mismatch.js";
import { microBatches, nativeBatch, type PackedBatch, spread, type TokenTerms } from "./batch.js";
import { customLoss } from "./custom-loss.js";

/** One rank's share of an optimizer update. */
export interface MiniBatch {
  batch: PackedBatch;
  /** Of the whole mini-batch over all ranks; see algorithms/reductions.ts. */
  normalizer: number;
}

export type LossSettings =
  | {
      kind: "policy";
      /** One of the native learner's, or the file URL of a module with another. */
      token: TokenLoss | { kind: "module"; url: string };
      entropyCoef: number;
      /** Price of the divergence from the reference; needs the samples' `refLogp_T`. */
      kl: { coef: number; estimator: KlEstimatorName } | null;
      /**
       * The proximal policy: as the engine sampled, this learner before the first update of the request, or between the rollout
       * and the present by the samples' `interpolation_T`.
       */
      old: "rollout" | "learner" | "loglinear";
      corrections: Correction[];
    }
  | { kind: "cross_entropy" }
  /** Of a critic; `clip`: how far a value may move from what it was when the batch was played. */
  | { kind: "value"; clip: number };

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
  /** Estimates of the divergence from the reference. */
  refKlSum: number;
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
  seconds: { logprobs: number; forwardBackward: number; optimizer: number };
}

/**
 * Runs the plan on one rank; all ranks run theirs at once, and meet in the optimizer's step of each update.
 * @throws NativeError TIMEOUT or ABORTED when a peer is lost. The learner must then be restored: its step may be half done.
 */
export async function runUpdates(
  learner: Learner,
  collective: Collective | null,
  plan: UpdatePlan,
  signal: AbortSignal,
): Promise<UpdateStats> {
  const stats = emptyStats();
  const timed = stopwatch(stats.seconds);
  const terms = await timed("logprobs", () => tokenTerms(learner, plan, stats, signal));
  const custom = await customLoss(plan.loss);
  for (let update = 0; update < plan.epochs * plan.miniBatches.length; update++) {
    const i = update % plan.miniBatches.length;
    const { batch, normalizer } = plan.miniBatches[i]!;
    const loss = lossSpec(plan.loss, normalizer);
    await timed("forwardBackward", async () => {
      for (const at of microBatches(batch, plan.maxTokens)) {
        const part = nativeBatch(batch, at, terms[i]!);
        add(stats, await (custom?.(learner, part, loss, signal) ?? learner.forwardBackward(part, loss, signal)));
      }
    });
    const options = { lr: plan.rates[update]!, ...plan.optimizer };
    const step = await timed("optimizer", () => learner.optimStep(options, collective, signal));
    stats.updates++;
    stats.gradNorm = Math.max(stats.gradNorm, step.gradNorm);
    if (step.skipped) {
      stats.skipped++;
      stats.skipReason = step.reason;
    }
  }
  return stats;
}

/** Proximal log-probabilities and weights, for each mini-batch. */
async function tokenTerms(
  learner: Learner,
  { miniBatches, loss, maxTokens }: UpdatePlan,
  stats: UpdateStats,
  signal: AbortSignal,
): Promise<TokenTerms[]> {
  const reduction = ({ weights_B, starts_B1 }: PackedBatch) => spread(weights_B, starts_B1);
  if (loss.kind !== "policy") {
    return miniBatches.map(({ batch }) => ({ old_N: null, weights_N: reduction(batch) }));
  }
  if (loss.old !== "learner") {
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
    return miniBatches.map(({ batch }) => ({ old_N: batch.rolloutLogp_N, weights_N: reduction(batch) }));
  }
  const gaps: Float32Array[] = [];
  const recomputed: TokenTerms[] = [];
  for (const { batch } of miniBatches) {
    const old_N = new Float32Array(batch.tokens_N.length);
    for (const { from, to, starts } of microBatches(batch, maxTokens)) {
      old_N.set((await learner.logprobs({ tokens: batch.tokens_N.subarray(from, to), starts }, signal)).logp, from);
    }
    const { rolloutLogp_N, lossMask_N, starts_B1 } = batch;
    gaps.push(mismatch(old_N, rolloutLogp_N, lossMask_N));
    const corrections_N = correctionWeights(old_N, rolloutLogp_N, lossMask_N, starts_B1, loss.corrections);
    addWeights(stats.weights, corrections_N, lossMask_N);
    recomputed.push({ old_N, weights_N: reduction(batch).map((weight, i) => weight * corrections_N[i]!) });
  }
  stats.mismatch = Float32Array.from(gaps.flatMap((gap) => [...gap]));
  return recomputed;
}

const probeTokens = 1024;

function lossSpec(loss: LossSettings, normalizer: number): LossSpec {
  if (loss.kind === "cross_entropy") return { kind: "cross_entropy", normalizer };
  if (loss.kind === "value") return { kind: "value", valueClip: loss.clip, normalizer };
  const { token, entropyCoef, kl } = loss;
  const terms = { entropyCoef, normalizer, ...(kl && { klCoef: kl.coef, klEstimator: kl.estimator }) };
  return token.kind === "module" ? { kind: "linear", ...terms } : { ...token, ...terms };
}

function emptyStats(): UpdateStats {
  return {
    tokens: 0,
    updates: 0,
    loss: 0,
    entropySum: 0,
    clippedSum: 0,
    klSum: 0,
    refKlSum: 0,
    ratioMax: 0,
    gradNorm: 0,
    skipped: 0,
    skipReason: null,
    mismatch: new Float32Array(0),
    weights: noWeights(),
    seconds: { logprobs: 0, forwardBackward: 0, optimizer: 0 },
  };
}

function add(stats: UpdateStats, part: LossStats): void {
  stats.tokens += part.tokens;
  stats.loss += part.loss;
  stats.entropySum += part.entropy * part.tokens;
  stats.clippedSum += part.clipFraction * part.tokens;
  stats.klSum += part.klOld * part.tokens;
  stats.refKlSum += part.klRef * part.tokens;
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
