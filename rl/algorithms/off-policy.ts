/** log-ratios beyond this are clamped before they are exponentiated. */
const maxLogRatio = 20;

export interface OffPolicyOptions {
  /** Truncated importance sampling: off, a weight per token, or one per sequence. */
  tis: "none" | "token" | "sequence";
  tokenCap: number;
  sequenceCap: number;
}

/**
 * Truncated importance weights min(exp(old - rollout), cap), on the masked tokens; 1 elsewhere. Detached: they multiply the
 * token's loss, which is the same as multiplying its advantage, because they are not negative.
 * `_N`: tokens of all sequences one after another; `starts_B1`: first token of each, and N.
 */
export function truncatedWeights(
  old_N: Float32Array,
  rollout_N: Float32Array,
  mask_N: Uint8Array,
  starts_B1: Int32Array,
  options: OffPolicyOptions,
): Float32Array {
  const weights_N = new Float32Array(old_N.length).fill(1);
  if (options.tis === "none") return weights_N;
  for (let b = 0; b + 1 < starts_B1.length; b++) {
    const [from, to] = [starts_B1[b]!, starts_B1[b + 1]!];
    let sum = 0;
    for (let i = from; i < to; i++) if (mask_N[i]) sum += old_N[i]! - rollout_N[i]!;
    const sequenceWeight = Math.min(Math.exp(clampRatio(sum)), options.sequenceCap);
    for (let i = from; i < to; i++) {
      if (!mask_N[i]) continue;
      weights_N[i] =
        options.tis === "sequence"
          ? sequenceWeight
          : Math.min(Math.exp(clampRatio(old_N[i]! - rollout_N[i]!)), options.tokenCap);
    }
  }
  return weights_N;
}

/** |old - rollout| at the masked tokens. */
export function mismatch(old_N: Float32Array, rollout_N: Float32Array, mask_N: Uint8Array): Float32Array {
  const gaps: number[] = [];
  for (let i = 0; i < mask_N.length; i++) if (mask_N[i]) gaps.push(Math.abs(old_N[i]! - rollout_N[i]!));
  return Float32Array.from(gaps);
}

export interface Quantiles {
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

/** Nearest-rank quantiles; all 0 for no values. */
export function quantiles(parts: readonly Float32Array[]): Quantiles {
  const all = new Float32Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  all.sort();
  const rank = (q: number) => all[Math.min(all.length - 1, Math.max(0, Math.ceil(q * all.length) - 1))] ?? 0;
  return { p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: rank(1) };
}

function clampRatio(x: number): number {
  return Math.max(-maxLogRatio, Math.min(maxLogRatio, x));
}
