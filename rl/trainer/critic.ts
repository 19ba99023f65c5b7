import type { ScoredSample } from "../algorithms/advantages.js";
import { generalizedAdvantages } from "../algorithms/token-advantages.js";
import type { Config } from "../config/schema.js";
import { maskedTokens, packTrajectories, type Sample, unpack } from "../learner/batch.js";
import type { UpdatePlan } from "../learner/update.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import type { LearnerGroup, UpdateResult } from "./learners.js";
import { planUpdates, updatesAStep } from "./mini-batches.js";

/** What the critic learned in a step. */
export interface CriticMetrics {
  loss: number;
  gradNorm: number;
  /** Of sampled tokens whose value moved as far as `value_clip` lets it. */
  clipFraction: number;
  /** 1 - var(returns - values) / var(returns), of the values before the step; 1 is perfect, 0 no better than their mean. */
  explainedVariance: number;
}

export interface CriticPlan {
  /** One a rank. */
  plans: UpdatePlan[];
  explainedVariance: number;
}

/** Whether the estimator reads values. */
export const needsCritic = ({ advantage_estimator }: Config["trainer"]["algorithm"]) => advantage_estimator === "gae";

/** A model of its own that says what is still to come before each token, for estimators that need it (`gae`). */
export class Critic {
  readonly learners: LearnerGroup;
  readonly #maxTokens: number;

  constructor(learners: LearnerGroup, config: Config) {
    this.learners = learners;
    this.#maxTokens = config.trainer.max_tokens_per_microbatch;
  }

  /** Axes: groups, samples, positions. */
  async values(groups: readonly Trajectory[][]): Promise<Float32Array[][]> {
    const batch = packTrajectories(groups.flat());
    return unpack(groups, await this.learners.values(batch, this.#maxTokens));
  }

  async update({ plans, explainedVariance }: CriticPlan): Promise<CriticMetrics> {
    return { ...describe(await this.learners.update(plans, false)), explainedVariance };
  }
}

/** `samples_GS`: as the policy trains on them; `scored_GS`: the same with rewards and the critic's values. */
export function planCritic(
  samples_GS: readonly Sample[][],
  scored_GS: readonly ScoredSample[][],
  config: Config,
  { world, step }: { world: number; step: number },
): CriticPlan {
  const { algorithm, critic, critic_mini_batch_size: size, ...trainer } = config.trainer;
  const learned_GS = samples_GS.map((samples_S, g) =>
    samples_S.map(({ tokens_T, lossMask_T, rolloutLogp_T, advantages_T, contexts = [] }, s): Sample => {
      const scored = scored_GS[g]![s]!;
      const { returns_T } = generalizedAdvantages(scored, algorithm.gamma, algorithm.lambd);
      return { tokens_T, lossMask_T, rolloutLogp_T, advantages_T, contexts, returns_T, values_T: scored.values_T! };
    }),
  );
  const plans = planUpdates(learned_GS, {
    ...{ world, size, epochs: trainer.update_epochs_per_batch, maxTokens: trainer.max_tokens_per_microbatch },
    ...{ before: step * updatesAStep(config, size), optimizer: critic.optimizer_config },
    loss: { kind: "value", clip: algorithm.value_clip },
  });
  return { plans, explainedVariance: explainedVariance(learned_GS.flat()) };
}

function explainedVariance(samples: readonly Sample[]): number {
  const tokens = Math.max(1, maskedTokens(samples));
  const variance = (of: (sample: Sample, t: number) => number) => {
    let [sum, squares] = [0, 0];
    for (const sample of samples) {
      for (const [t, sampled] of sample.lossMask_T.entries()) {
        if (!sampled) continue;
        const x = of(sample, t);
        sum += x;
        squares += x * x;
      }
    }
    return squares / tokens - (sum / tokens) ** 2;
  };
  const total = variance((s, t) => s.returns_T![t]!);
  return total > 0 ? 1 - variance((s, t) => s.returns_T![t]! - s.values_T![t]!) / total : 0;
}

function describe({ stats }: UpdateResult): Omit<CriticMetrics, "explainedVariance"> {
  const sum = (of: (s: UpdateResult["stats"][number]) => number) => stats.reduce((total, s) => total + of(s), 0);
  return {
    loss: sum((s) => s.loss) / Math.max(1, stats[0]!.updates),
    gradNorm: stats[0]!.gradNorm,
    clipFraction:
      sum((s) => s.clippedSum) /
      Math.max(
        1,
        sum((s) => s.tokens),
      ),
  };
}
