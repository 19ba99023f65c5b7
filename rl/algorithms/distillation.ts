/** A sampled sequence beside a teacher. T: its positions. */
export interface Taught {
  /** As the policy sampled. */
  logp_T: Float32Array;
  /** Of the teacher. */
  teacher_T: Float32Array;
  lossMask_T: Uint8Array;
}

/**
 * The advantages with `coef` * (log p of the teacher - log p of the policy) on each sampled token: minus the k1 estimate of the reverse
 * KL, KL(policy || teacher), whose gradient is that of the policy-gradient loss with it. `divergence` is the sum of the estimates.
 * Agarwal et al. 2306.13649, with the student's own samples.
 */
export function distill(
  advantages_T: Float32Array,
  { logp_T, teacher_T, lossMask_T }: Taught,
  coef: number,
): { advantages_T: Float32Array; divergence: number } {
  let divergence = 0;
  const taught_T = advantages_T.map((advantage, t) => {
    if (!lossMask_T[t]) return 0;
    const gap = logp_T[t]! - teacher_T[t]!;
    divergence += gap;
    return advantage - coef * gap;
  });
  return { advantages_T: taught_T, divergence };
}
