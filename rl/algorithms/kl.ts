const clampExponent = (x: number) => Math.max(-20, Math.min(20, x));

/** An estimate of KL(policy || reference) from the log-probability of one sampled token under each. */
export type KlEstimator = (logp: number, ref: number) => number;

/** Schulman 2020, "Approximating KL divergence". k1 is unbiased and may be negative; k3 is unbiased, and never negative. */
export const klEstimators = {
  k1: (logp, ref) => logp - ref,
  abs: (logp, ref) => Math.abs(logp - ref),
  k2: (logp, ref) => (logp - ref) ** 2 / 2,
  /** exp(e) - e - 1 with e = ref - logp in [-20, 20], itself in [-10, 10]. */
  k3: (logp, ref) => {
    const e = clampExponent(ref - logp);
    return Math.max(-10, Math.min(10, Math.exp(e) - e - 1));
  },
} satisfies Record<string, KlEstimator>;

export type KlEstimatorName = keyof typeof klEstimators;

export interface KlControl {
  target: number;
  /** Sequences over which beta moves by a fifth at most. */
  horizon: number;
}

/** beta * (1 + clip(kl / target - 1, -0.2, 0.2) * sequences / horizon). Ziegler et al. 1909.08593. */
export function adaptBeta(beta: number, kl: number, sequences: number, { target, horizon }: KlControl): number {
  const error = Math.max(-0.2, Math.min(0.2, kl / target - 1));
  return beta * (1 + (error * sequences) / horizon);
}
