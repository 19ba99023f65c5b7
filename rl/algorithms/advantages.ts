import { ActorsError } from "../../runtime/index.js";
import { suggest } from "./suggest.js";

export interface AdvantageOptions {
  /** Divide by the group's standard deviation (`grpo` only). */
  normByStd: boolean;
}

/**
 * Advantage of each sample of one group from the samples' scores (a score is the sum of a trajectory's rewards).
 * The result is broadcast over the sample's loss mask. `_G`: the samples of one group, in order.
 */
export type AdvantageEstimator = (scores_G: readonly number[], options: AdvantageOptions) => number[];

const stdFloor = 1e-6;

/**
 * (s - mean) / (std + 1e-6) with the unbiased std; a group of one has mean 0 and std 1.
 * Shao et al. 2402.03300.
 */
export const grpo: AdvantageEstimator = (scores_G, { normByStd }) => {
  const alone = scores_G.length === 1;
  const mean = alone ? 0 : meanOf(scores_G);
  const std = alone ? 1 : unbiasedStd(scores_G, mean);
  return scores_G.map((s) => (normByStd ? (s - mean) / (std + stdFloor) : s - mean));
};

/** s - mean, without the division that favours easy and hard prompts. Goes with `seq_mean_token_sum_norm`. Liu et al. 2503.20783. */
export const drGrpo: AdvantageEstimator = (scores_G) => {
  const mean = meanOf(scores_G);
  return scores_G.map((s) => s - mean);
};

/** The baseline is the mean of the others: (s - mean) * n / (n - 1); alone: 0. Ahmadian et al. 2402.14740. */
export const rloo: AdvantageEstimator = (scores_G) => {
  const n = scores_G.length;
  if (n === 1) return [0];
  const mean = meanOf(scores_G);
  return scores_G.map((s) => ((s - mean) * n) / (n - 1));
};

const registry = new Map<string, AdvantageEstimator>([
  ["grpo", grpo],
  ["dr_grpo", drGrpo],
  ["rloo", rloo],
]);

export function registerAdvantage(name: string, estimator: AdvantageEstimator): void {
  registry.set(name, estimator);
}

export function advantageNames(): string[] {
  return [...registry.keys()];
}

/**
 * A registered name, or `./module.js` (resolved from `baseUrl`) whose default export is an estimator.
 * @throws ActorsError NOT_FOUND for an unknown name, INVALID_ARGUMENT for a module without one
 */
export async function loadAdvantage(name: string, baseUrl: string): Promise<AdvantageEstimator> {
  const known = registry.get(name);
  if (known) return known;
  if (!name.startsWith(".") && !name.startsWith("/")) {
    throw new ActorsError("NOT_FOUND", `no advantage estimator is named ${name}${suggest(name, registry.keys())}`);
  }
  const module = (await import(new URL(name, baseUrl).href)) as { default?: unknown };
  if (typeof module.default === "function") return module.default as AdvantageEstimator;
  throw new ActorsError("INVALID_ARGUMENT", `${name} has no default export that is an advantage estimator`, {
    hint: "Export default a function of (scores, options) that returns one number a sample.",
  });
}

/** Whether the group tells good from bad; without it every advantage is 0 (or, for a group of one, uninformed). */
export function hasSpread(scores_G: readonly number[]): boolean {
  return scores_G.some((s) => s !== scores_G[0]);
}

function meanOf(x: readonly number[]): number {
  return x.reduce((a, b) => a + b, 0) / Math.max(1, x.length);
}

function unbiasedStd(x: readonly number[], mean: number): number {
  return Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, x.length - 1));
}
