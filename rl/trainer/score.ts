import type { ScoredSample } from "../algorithms/advantages.js";
import { type KlEstimator, klEstimators } from "../algorithms/kl.js";
import { addReward, scoreOf } from "../algorithms/rewards.js";
import { addPotentials, overlongPenalty } from "../algorithms/shaping.js";
import type { Config } from "../config/schema.js";
import type { Trajectory } from "../trajectories/trajectory.js";

/** What a divergence from the reference costs. */
export interface KlPenalty {
  beta: number;
  /** log p of each trajectory's tokens under the reference, in the trajectories' axes: groups, samples, positions. */
  ref_GST: readonly (readonly Float32Array[])[];
}

/** What an episode's score is made of: means over the episodes of a step. Milestones move it between turns and add nothing. */
export interface RewardParts {
  environment: number;
  /** Penalty for responses that are too long. */
  overlong: number;
  /** Price of leaving the reference. */
  divergence: number;
}

/** The rewards of a step's episodes as its estimator sees them: the environment's, then what the configuration adds. */
export function scoreStep(groups: readonly Trajectory[][], config: Config, kl: KlPenalty | null) {
  const { algorithm } = config.trainer;
  const { len: buffer, max_len: max, penalty_factor: factor } = algorithm.overlong_buffer;
  const divergence = { sum: 0, tokens: 0 };
  const parts: RewardParts = { environment: 0, overlong: 0, divergence: 0 };
  const samples_GS = groups.map((group, g) =>
    group.map((trajectory, s) => {
      const sample = scoreOf(trajectory);
      let counted = 0;
      const count = (part: keyof RewardParts) => {
        parts[part] += sample.score - counted;
        counted = sample.score;
      };
      count("environment");
      if (algorithm.milestone_shaping > 0) {
        const potentials_K = trajectory.turns.map(({ potential }) => potential);
        addPotentials(sample, potentials_K, { gamma: algorithm.gamma, factor: algorithm.milestone_shaping });
      }
      if (buffer !== null && max !== null) {
        const length = sample.lossMask_T.reduce((n, m) => n + m, 0);
        addReward(sample, sample.lossMask_T.length, overlongPenalty(length, { max, buffer, factor }));
        count("overlong");
      }
      if (kl) {
        const paid = penalize(
          sample,
          trajectory.logprobs_T,
          kl.ref_GST[g]![s]!,
          klEstimators[algorithm.kl_estimator_type],
          kl.beta,
        );
        divergence.sum += paid.sum;
        divergence.tokens += paid.tokens;
        count("divergence");
      }
      return sample;
    }),
  );
  const episodes = Math.max(1, samples_GS.flat().length);
  for (const part of Object.keys(parts) as (keyof RewardParts)[]) parts[part] /= episodes;
  return { samples_GS, parts, divergence: divergence.sum / Math.max(1, divergence.tokens) };
}

/** Takes beta * KL from each sampled token's reward. Ziegler et al. 1909.08593; one term a token as in Stiennon et al. 2009.01325. */
function penalize(
  sample: ScoredSample,
  logp_T: Float32Array,
  ref_T: Float32Array,
  estimate: KlEstimator,
  beta: number,
): { sum: number; tokens: number } {
  let [sum, tokens] = [0, 0];
  for (const [t, sampled] of sample.lossMask_T.entries()) {
    if (!sampled) continue;
    const divergence = estimate(logp_T[t]!, ref_T[t]!);
    sample.rewards_T[t]! -= beta * divergence;
    sample.score -= beta * divergence;
    sum += divergence;
    tokens++;
  }
  return { sum, tokens };
}
