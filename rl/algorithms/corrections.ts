/** log-ratios beyond this are clamped before they are exponentiated. */
const maxLogRatio = 20;

interface Band {
  low: number;
  high: number;
}

/** One way to weigh tokens by the ratio of the trainer's probability to the engine's. */
export type Correction =
  | ({ kind: "outlier_mask" } & Band)
  | ({ kind: "icepop" } & Band)
  | ({ kind: "mis"; level: "token" | "sequence" } & Band)
  | { kind: "tis"; level: "token" | "sequence"; cap: number }
  | ({ kind: "geometric_mask" } & Band);

/** S: the sampled tokens of one sequence; their log-ratios, log p of the trainer's proximal policy - log p of the engine. */
type Weigh<K extends Correction["kind"]> = (
  logRatios_S: readonly number[],
  correction: Extract<Correction, { kind: K }>,
) => number[];

const inside = (x: number, { low, high }: Band) => x >= low && x <= high;
const ratio = (logRatio: number) => Math.exp(Math.max(-maxLogRatio, Math.min(maxLogRatio, logRatio)));
const sum = (x_S: readonly number[]) => x_S.reduce((a, b) => a + b, 0);

/** In the order of their application. */
export const corrections: { [K in Correction["kind"]]: Weigh<K> } = {
  /** Drops a sequence with any token's ratio outside of the band: engine and trainer did not compute the same thing. Liu et al. 2025, "When Speed Kills Stability". */
  outlier_mask: (x_S, band) => same(x_S, Number(x_S.every((x) => inside(ratio(x), band)))),

  /** The ratio itself inside of the band, 0 outside. Ling team 2510.18855. */
  icepop: (x_S, band) => x_S.map((x) => (inside(ratio(x), band) ? ratio(x) : 0)),

  /** Keeps (1) or drops (0) by a token's ratio, or the sequence's product. Liu et al. 2025, "When Speed Kills Stability". */
  mis: (x_S, { level, ...band }) =>
    level === "token"
      ? x_S.map((x) => Number(inside(ratio(x), band)))
      : same(x_S, Number(inside(ratio(sum(x_S)), band))),

  /** min(ratio, cap) of each token, or of the sequence's product. Yao et al. 2025, "Your Efficient RL Framework Secretly Brings You Off-Policy RL Training". */
  tis: (x_S, { level, cap }) =>
    level === "token" ? x_S.map((x) => Math.min(ratio(x), cap)) : same(x_S, Math.min(ratio(sum(x_S)), cap)),

  /** Keeps a sequence by the geometric mean of its ratios; with token weights of `tis` it is `seq_mask_tis`. Liu et al. 2025, as above. */
  geometric_mask: (x_S, band) => same(x_S, Number(inside(ratio(sum(x_S) / Math.max(1, x_S.length)), band))),
};

/**
 * The product of all corrections on the masked tokens, 1 elsewhere, in the order of the table above whatever the order given.
 * Detached: weights multiply the token's loss, which is the same as multiplying its advantage, because they are not negative.
 * `_N`: tokens of all sequences one after another; `starts_B1`: first token of each, and N.
 */
export function correctionWeights(
  old_N: Float32Array,
  rollout_N: Float32Array,
  mask_N: Uint8Array,
  starts_B1: Int32Array,
  wanted: readonly Correction[],
): Float32Array {
  const weights_N = new Float32Array(old_N.length).fill(1);
  const kinds = Object.keys(corrections);
  const ordered = [...wanted].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  for (let b = 0; b + 1 < starts_B1.length && ordered.length > 0; b++) {
    const at_S: number[] = [];
    for (let i = starts_B1[b]!; i < starts_B1[b + 1]!; i++) if (mask_N[i]) at_S.push(i);
    const logRatios_S = at_S.map((i) => old_N[i]! - rollout_N[i]!);
    for (const correction of ordered) {
      const weights_S = (corrections[correction.kind] as Weigh<Correction["kind"]>)(logRatios_S, correction);
      for (const [s, i] of at_S.entries()) weights_N[i]! *= weights_S[s]!;
    }
  }
  return weights_N;
}

/** Sums over masked tokens, so that ranks add up. */
export interface WeightSums {
  tokens: number;
  kept: number;
  sum: number;
  squares: number;
}

export const noWeights = (): WeightSums => ({ tokens: 0, kept: 0, sum: 0, squares: 0 });

export function addWeights(sums: WeightSums, weights_N: Float32Array, mask_N: Uint8Array): void {
  for (const [i, w] of weights_N.entries()) {
    if (!mask_N[i]) continue;
    sums.tokens++;
    sums.kept += Number(w > 0);
    sums.sum += w;
    sums.squares += w * w;
  }
}

/** Fractions of the masked tokens: those with a weight, and Kish's effective number (sum w)^2 / sum w^2. 1 without tokens. */
export function describeWeights(parts: readonly WeightSums[]): { kept: number; effective: number } {
  const total = (of: keyof WeightSums) => parts.reduce((n, part) => n + part[of], 0);
  const tokens = total("tokens");
  if (tokens === 0) return { kept: 1, effective: 1 };
  const squares = total("squares");
  return { kept: total("kept") / tokens, effective: squares > 0 ? total("sum") ** 2 / squares / tokens : 0 };
}

function same(x_S: readonly number[], weight: number): number[] {
  return x_S.map(() => weight);
}
