import type { PolicyLoss } from "../algorithms/policy-losses.js";

/** `regular` with bounds of 0.2 and 0.28 as a user would write it, for tests to compare with the native one. */
const clippedLoss: PolicyLoss = ({ logp_N, old_N, advantages_N }) => {
  const loss_N = new Float32Array(logp_N.length);
  const slope_N = new Float32Array(logp_N.length);
  const clipped_N = new Uint8Array(logp_N.length);
  for (const [i, logp] of logp_N.entries()) {
    const ratio = Math.exp(logp - old_N[i]!);
    const plain = -ratio * advantages_N[i]!;
    const bounded = -Math.max(0.8, Math.min(1.28, ratio)) * advantages_N[i]!;
    loss_N[i] = Math.max(plain, bounded);
    clipped_N[i] = Number(bounded > plain);
    slope_N[i] = bounded > plain ? 0 : plain;
  }
  return { loss_N, slope_N, clipped_N };
};

export default clippedLoss;
