import type { AdvantageOptions } from "./advantages.js";

/** Advantage of each sample of one group from the samples' scores. S: the samples of one group, in order. */
export type ScoreEstimator = (scores_S: readonly number[], options: AdvantageOptions) => number[];

const floor = 1e-6;

/**
 * (s - mean) / (std + 1e-6) with the unbiased std; a group of one has mean 0 and std 1.
 * Shao et al. 2402.03300.
 */
export const grpo: ScoreEstimator = (scores_S, { normByStd }) => {
  const alone = scores_S.length === 1;
  const mean = alone ? 0 : meanOf(scores_S);
  const std = alone ? 1 : unbiasedStd(scores_S, mean);
  return scores_S.map((s) => (normByStd ? (s - mean) / (std + floor) : s - mean));
};

/** s - mean, without the division that favours easy and hard prompts. Goes with `seq_mean_token_sum_norm`. Liu et al. 2503.20783. */
export const drGrpo: ScoreEstimator = (scores_S) => {
  const mean = meanOf(scores_S);
  return scores_S.map((s) => s - mean);
};

/** The baseline is the mean of the others: (s - mean) * n / (n - 1); alone: 0. Ahmadian et al. 2402.14740. */
export const rloo: ScoreEstimator = (scores_S) => {
  const n = scores_S.length;
  if (n === 1) return [0];
  const mean = meanOf(scores_S);
  return scores_S.map((s) => ((s - mean) * n) / (n - 1));
};

/**
 * (s - mean) / (mean + 1e-6): the gradient of log(pass rate) rather than of the pass rate, so that rare successes weigh more.
 * Meant for scores in [0, 1]. Tajwar et al. 2602.02710.
 */
export const maxrl: ScoreEstimator = (scores_S) => {
  const mean = meanOf(scores_S);
  return scores_S.map((s) => (s - mean) / (mean + floor));
};

function meanOf(x: readonly number[]): number {
  return x.reduce((a, b) => a + b, 0) / Math.max(1, x.length);
}

function unbiasedStd(x: readonly number[], mean: number): number {
  return Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, x.length - 1));
}
