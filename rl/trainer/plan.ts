import { type AdvantageEstimator, hasSpread } from "../algorithms/advantages.js";
import type { Correction } from "../algorithms/corrections.js";
import type { Reduction } from "../algorithms/reductions.js";
import type { Config } from "../config/schema.js";
import { maskedTokens, pack, type Sample, sampleOf, splitOverRanks } from "../learner/batch.js";
import type { OptimizerSettings, UpdatePlan } from "../learner/update.js";
import { histogram } from "../run/histogram.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import type { StepMetrics } from "./report.js";
import { type KlPenalty, scoreStep } from "./score.js";

type OptimizerConfig = Config["trainer"]["policy"]["optimizer_config"];

export interface StepPlan {
  /** One a rank. */
  plans: UpdatePlan[];
  /** Groups whose scores are all the same: no gradient comes from them. */
  groupsWithoutSpread: number;
  /** Sampled tokens. */
  tokens: number;
  /** What the step is learned from. */
  learning: Pick<StepMetrics, "rewardParts" | "advantageHistogram">;
  /** Mean estimate of the divergence from the reference over sampled tokens; 0 without one. */
  divergence: number;
}

/** From the groups of a step to what each rank does: advantages within the group, mini-batches of whole groups, shares of equal size. */
export function planStep(
  groups: readonly Trajectory[][],
  { estimator, reduction }: { estimator: AdvantageEstimator; reduction: Reduction },
  config: Config,
  maxSeqLen: number,
  at: { world: number; updatesBefore: number; kl: KlPenalty | null },
): StepPlan {
  const { trainer } = config;
  const { algorithm } = trainer;
  let groupsWithoutSpread = 0;
  for (const group of groups) if (!hasSpread(group.map(({ reward }) => reward))) groupsWithoutSpread++;
  const { samples_GS: scored_GS, parts, divergence } = scoreStep(groups, config, at.kl);
  const advantages_GS = estimator(scored_GS, {
    normByStd: algorithm.grpo_norm_by_std,
    gamma: algorithm.gamma,
    lambda: algorithm.lambd,
  });
  const samples_GS = groups.map((group, g) =>
    group.map((t, s) => {
      const sample = sampleOf(t, advantages_GS[g]![s]!);
      const cut = config.generator.apply_overlong_filtering && t.finish !== "submitted";
      return cut ? { ...sample, lossMask_T: new Uint8Array(sample.lossMask_T.length) } : sample;
    }),
  );
  const perUpdate = trainer.policy_mini_batch_size ?? groups.length;
  const miniBatches = Math.ceil(groups.length / Math.max(1, perUpdate));
  const updates = miniBatches * trainer.update_epochs_per_batch;
  const { optimizer_config } = trainer.policy;
  const plans = Array.from(
    { length: at.world },
    (): UpdatePlan => ({
      miniBatches: [],
      epochs: trainer.update_epochs_per_batch,
      loss: {
        kind: "policy",
        clipLow: algorithm.eps_clip_low,
        clipHigh: algorithm.eps_clip_high,
        entropyCoef: algorithm.use_entropy_loss ? algorithm.entropy_loss_coef : 0,
        old: algorithm.old_logprobs,
        corrections: correctionsOf(algorithm.off_policy_correction),
      },
      optimizer: optimizerSettings(optimizer_config),
      rates: Array.from({ length: updates }, (_, i) => rateAt(optimizer_config, at.updatesBefore + i)),
      maxTokens: trainer.max_tokens_per_microbatch,
    }),
  );
  const learning = { rewardParts: parts, advantageHistogram: histogram(sampledAdvantages(samples_GS)) };
  let tokens = 0;
  for (let first = 0; first < groups.length; first += perUpdate) {
    const miniBatch = samples_GS.slice(first, first + perUpdate);
    const normalizer = Math.max(1, maskedTokens(miniBatch.flat()));
    const samples = reduced(miniBatch, reduction, normalizer, maxSeqLen);
    tokens += maskedTokens(samples);
    for (const [rank, share] of splitOverRanks(samples, at.world).entries()) {
      plans[rank]!.miniBatches.push({ batch: pack(share), normalizer });
    }
  }
  return { plans, groupsWithoutSpread, tokens, learning, divergence };
}

function* sampledAdvantages(samples_GS: readonly (readonly Sample[])[]): Generator<number> {
  for (const { lossMask_T, advantages_T } of samples_GS.flat()) {
    for (const [i, sampled] of lossMask_T.entries()) if (sampled) yield advantages_T[i]!;
  }
}

/**
 * The samples of a mini-batch, their advantages scaled so that a token mean of the losses is the reduction: every policy loss is
 * linear in a positive factor of the advantage.
 */
export function reduced(
  samples_GS: readonly (readonly Sample[])[],
  reduction: Reduction,
  normalizer: number,
  maxSeqLen: number,
): Sample[] {
  const samples = samples_GS.flat();
  const weights_B = reduction({
    tokens_B: samples.map((sample) => maskedTokens([sample])),
    prompts_B: samples_GS.flatMap((samples_S, g) => samples_S.map(() => g)),
    maxSeqLen,
  });
  return samples.map((sample, b) => {
    const weight = weights_B[b]! * normalizer;
    return { ...sample, advantages_T: sample.advantages_T.map((a) => a * weight) };
  });
}

/** Those that the configuration asks for. */
export function correctionsOf(c: Config["trainer"]["algorithm"]["off_policy_correction"]): Correction[] {
  const wanted: Correction[] = [];
  const { outlier_token_is_threshold_low: low, outlier_token_is_threshold_high: high, tis_ratio_type: tis } = c;
  if (low !== null || high !== null) wanted.push({ kind: "outlier_mask", low: low ?? 0, high: high ?? Infinity });
  const band = { low: c.token_mask_is_threshold_low, high: c.token_mask_is_threshold_high };
  if (c.mask_type === "icepop") wanted.push({ kind: "icepop", ...band });
  if (c.mask_type === "mis") wanted.push({ kind: "mis", level: c.mask_ratio_type, ...band });
  const cap = tis === "sequence" ? c.sequence_tis_ratio_clip_high : c.token_tis_ratio_clip_high;
  if (tis) wanted.push({ kind: "tis", level: tis, cap });
  if (c.sequence_mask_metric) wanted.push({ kind: "geometric_mask", low: c.geo_mask_low, high: c.geo_mask_high });
  return wanted;
}

/** Linear rise over the warm-up, then constant. `update` counts from 0. */
export function rateAt({ lr, num_warmup_steps: rise }: OptimizerConfig, update: number): number {
  return rise > 0 ? lr * Math.min(1, (update + 1) / rise) : lr;
}

export function optimizerSettings(config: OptimizerConfig): OptimizerSettings {
  const [beta1, beta2] = config.adam_betas;
  return { beta1, beta2, weightDecay: config.weight_decay, maxGradNorm: config.max_grad_norm };
}
