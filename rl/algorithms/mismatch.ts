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
