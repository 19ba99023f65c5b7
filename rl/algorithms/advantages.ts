import { Registry } from "./registry.js";
import { drGrpo, grpo, maxrl, rloo, type ScoreEstimator } from "./score-advantages.js";
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

/** A module's default export is a {@link ScoreEstimator}, or its export `estimate` an {@link AdvantageEstimator}. */
export const advantages = new Registry<AdvantageEstimator>(
  "advantage estimator",
  {
    grpo: ofScores(grpo),
    dr_grpo: ofScores(drGrpo),
    rloo: ofScores(rloo),
    maxrl: ofScores(maxrl),
    "reinforce++": reinforcePlusPlus,
    turn_level: turnLevel,
    gae,
    /** 0 everywhere: rewards teach nothing, a teacher may. */
    none: (samples_GS) =>
      samples_GS.map((samples_S) => samples_S.map(({ lossMask_T }) => new Float32Array(lossMask_T.length))),
  },
  ({ default: ofScore, estimate }) => {
    if (typeof estimate === "function") return estimate as AdvantageEstimator;
    return typeof ofScore === "function" ? ofScores(ofScore as ScoreEstimator) : undefined;
  },
);

/** Whether the group tells good from bad; without it every advantage is 0 (or, for a group of one, uninformed). */
export function hasSpread(scores_S: readonly number[]): boolean {
  return scores_S.some((s) => s !== scores_S[0]);
}
