import { ActorsError } from "../../runtime/index.js";
import { drGrpo, grpo, maxrl, rloo, type ScoreEstimator } from "./score-advantages.js";
import { suggest } from "./suggest.js";
import { gae, reinforcePlusPlus, turnLevel } from "./token-advantages.js";

export interface AdvantageOptions {
  /** Divide by the group's standard deviation (`grpo`, `turn_level`). */
  normByStd: boolean;
  /** Discount a token (`reinforce++`, `gae`) or a turn (`turn_level`). */
  gamma: number;
  /** Of `gae`. */
  lambda: number;
}

/** A rollout as an estimator sees it. T: positions of its sequence. */
export interface ScoredSample {
  /** Sum of the rewards. */
  score: number;
  /** 0 but on the sampled tokens that earned something. What lies where the mask is 0 is never read. */
  rewards_T: Float32Array;
  /** 1 on the tokens that the policy sampled. */
  lossMask_T: Uint8Array;
  /** Where each turn's tokens lie: [start, end). */
  turns: readonly { start: number; end: number }[];
  /** A critic's estimates; absent where there is no critic. */
  values_T?: Float32Array;
}

/** The advantage of every token of a step; 0 where the loss mask is 0. Axes: groups, samples of a group, positions. */
export type AdvantageEstimator = (
  samples_GS: readonly (readonly ScoredSample[])[],
  options: AdvantageOptions,
) => Float32Array[][];

/** An estimator that knows only the scores of one group: its result is broadcast over each sample's mask. */
export function ofScores(estimate: ScoreEstimator): AdvantageEstimator {
  return (samples_GS, options) =>
    samples_GS.map((samples_S) => {
      const advantages_S = estimate(
        samples_S.map(({ score }) => score),
        options,
      );
      return samples_S.map(({ lossMask_T }, i) => Float32Array.from(lossMask_T, (m) => (m ? advantages_S[i]! : 0)));
    });
}

const registry = new Map<string, AdvantageEstimator>([
  ["grpo", ofScores(grpo)],
  ["dr_grpo", ofScores(drGrpo)],
  ["rloo", ofScores(rloo)],
  ["maxrl", ofScores(maxrl)],
  ["reinforce++", reinforcePlusPlus],
  ["turn_level", turnLevel],
  ["gae", gae],
]);

export function registerAdvantage(name: string, estimator: AdvantageEstimator): void {
  registry.set(name, estimator);
}

export function advantageNames(): string[] {
  return [...registry.keys()];
}

/**
 * A registered name, or `./module.js` (resolved from `baseUrl`): its default export is a {@link ScoreEstimator}, or its export
 * `estimate` an {@link AdvantageEstimator}.
 * @throws ActorsError NOT_FOUND for an unknown name, INVALID_ARGUMENT for a module without one
 */
export async function loadAdvantage(name: string, baseUrl: string): Promise<AdvantageEstimator> {
  const known = registry.get(name);
  if (known) return known;
  if (!name.startsWith(".") && !name.startsWith("/")) {
    throw new ActorsError("NOT_FOUND", `no advantage estimator is named ${name}${suggest(name, registry.keys())}`);
  }
  const module = (await import(new URL(name, baseUrl).href)) as { default?: unknown; estimate?: unknown };
  if (typeof module.estimate === "function") return module.estimate as AdvantageEstimator;
  if (typeof module.default === "function") return ofScores(module.default as ScoreEstimator);
  throw new ActorsError("INVALID_ARGUMENT", `${name} exports no advantage estimator`, {
    hint: "Export default a function of (scores, options) that returns one number a sample, or `estimate`, which returns one a token.",
  });
}

/** Whether the group tells good from bad; without it every advantage is 0 (or, for a group of one, uninformed). */
export function hasSpread(scores_S: readonly number[]): boolean {
  return scores_S.some((s) => s !== scores_S[0]);
}
