import { type AdvantageEstimator, hasSpread } from "../algorithms/advantages.js";
import { distill } from "../algorithms/distillation.js";
import type { Reduction } from "../algorithms/reductions.js";
import type { Config } from "../config/schema.js";
import { maskedTokens, type Sample, sampleOf } from "../learner/batch.js";
import type { UpdatePlan } from "../learner/update.js";
import { histogram } from "../run/histogram.js";
import { sampledTokens, type Trajectory } from "../trajectories/trajectory.js";
import { type CriticPlan, planCritic } from "./critic.js";
import { lossSettings } from "./loss-settings.js";
import { planUpdates, updatesAStep } from "./mini-batches.js";
import type { StepMetrics } from "./report.js";
import { type KlPenalty, scoreStep } from "./score.js";

export interface StepPlan {
  /** One a rank. */
  plans: UpdatePlan[];
  critic: CriticPlan | null;
  /** Groups whose scores are all the same: no gradient comes from them. */
  groupsWithoutSpread: number;
  /** Sampled tokens. */
  tokens: number;
  /** What the step is learned from. */
  learning: Pick<StepMetrics, "rewardParts" | "advantageHistogram">;
  /** Mean estimate of the divergence from the reference over sampled tokens; 0 where it is not in the reward. */
  divergence: number;
  /** The same from the teacher; null without one. */
  fromTeacher: number | null;
}

export interface Methods {
  estimator: AdvantageEstimator;
  reduction: Reduction;
  /** File URL of a policy loss of one's own. */
  lossModule: string | null;
}

export interface PlanContext {
  /** Ranks of the learner. */
  world: number;
  step: number;
  /** The learner's, before the step. */
  version: number;
  /** null: the policy may go anywhere. */
  kl: KlPenalty | null;
  /** A critic's estimates, in the axes of the groups; null without one. */
  values_GST: readonly (readonly Float32Array[])[] | null;
  /** log p of a teacher, in the same axes; null without one. */
  teacher_GST: readonly (readonly Float32Array[])[] | null;
}

/** From the groups of a step to what each rank does: advantages within the group, mini-batches of whole groups, shares of equal size. */
export function planStep(
  groups: readonly Trajectory[][],
  { estimator, reduction, lossModule }: Methods,
  config: Config,
  maxSeqLen: number,
  at: PlanContext,
): StepPlan {
  const { trainer } = config;
  const { algorithm } = trainer;
  let groupsWithoutSpread = 0;
  for (const group of groups) if (!hasSpread(group.map(({ reward }) => reward))) groupsWithoutSpread++;
  const scored = scoreStep(groups, config, algorithm.use_kl_in_reward ? at.kl : null);
  const { samples_GS: scored_GS, parts, divergence } = scored;
  if (at.values_GST)
    for (const [g, scored_S] of scored_GS.entries())
      for (const [s, scored] of scored_S.entries()) scored.values_T = at.values_GST[g]![s]!;
  const advantages_GS = estimator(scored_GS, {
    normByStd: algorithm.grpo_norm_by_std,
    gamma: algorithm.gamma,
    lambda: algorithm.lambd,
  });
  let gap = 0;
  const samples_GS = groups.map((group, g) =>
    group.map((t, s) => {
      const sample = sampleOf(t, advantages_GS[g]![s]!);
      if (at.teacher_GST) {
        const taught = { logp_T: t.logprobs_T, teacher_T: at.teacher_GST[g]![s]!, lossMask_T: t.lossMask_T };
        const { advantages_T, divergence } = distill(sample.advantages_T, taught, algorithm.distillation.coef);
        sample.advantages_T = advantages_T;
        gap += divergence;
      }
      if (algorithm.use_kl_loss && at.kl) sample.refLogp_T = at.kl.ref_GST[g]![s]!;
      if (algorithm.old_logprobs === "loglinear") sample.interpolation_T = proximity(t, at.version);
      const cut = config.generator.apply_overlong_filtering && t.finish !== "submitted";
      return cut ? { ...sample, lossMask_T: new Uint8Array(sample.lossMask_T.length) } : sample;
    }),
  );
  const { policy_mini_batch_size: size } = trainer;
  const plans = planUpdates(
    samples_GS,
    {
      ...{
        world: at.world,
        size,
        epochs: trainer.update_epochs_per_batch,
        before: at.step * updatesAStep(config, size),
      },
      ...{ optimizer: trainer.policy.optimizer_config, maxTokens: trainer.max_tokens_per_microbatch },
      loss: lossSettings(algorithm, lossModule, at.kl?.beta ?? null),
    },
    (miniBatch_GS, normalizer) => reduced(miniBatch_GS, reduction, normalizer, maxSeqLen),
  );
  const critic = at.values_GST ? planCritic(samples_GS, scored_GS, config, at) : null;
  const learning = { rewardParts: parts, advantageHistogram: histogram(sampledAdvantages(samples_GS)) };
  const fromTeacher = at.teacher_GST && gap / Math.max(1, sampledTokens(groups.flat()));
  const tokens = maskedTokens(samples_GS.flat());
  return { plans, critic, groupsWithoutSpread, tokens, learning, divergence, fromTeacher };
}

function* sampledAdvantages(samples_GS: readonly (readonly Sample[])[]): Generator<number> {
  for (const { lossMask_T, advantages_T } of samples_GS.flat()) {
    for (const [i, sampled] of lossMask_T.entries()) if (sampled) yield advantages_T[i]!;
  }
}

/** The samples of a mini-batch, weighted so that a token mean of the losses is the reduction. */
export function reduced(
  samples_GS: readonly (readonly Sample[])[],
  reduction: Reduction,
  normalizer: number,
  maxSeqLen: number,
): Sample[] {
  const samples = samples_GS.flat();
  const weights_B = reduction({
    tokens_B: samples.map((sample) => maskedTokens([sample])),
    prompts_B: samples_GS.flatMap((samples_S, g) => samples_S.map(() => g)),
    maxSeqLen,
  });
  return samples.map((sample, b) => ({ ...sample, weight: weights_B[b]! * normalizer }));
}

/**
 * Where the policy that a step starts from lies between the one that sampled a token (0) and the one it becomes (1), as if the
 * log-probability moved evenly with the version. The approximation of AReaL, 2505.24298.
 */
function proximity({ versions_T }: Trajectory, version: number): Float32Array {
  return Float32Array.from(
    versions_T,
    (sampled) => Math.max(0, version - sampled) / Math.max(1, version + 1 - sampled),
  );
}
