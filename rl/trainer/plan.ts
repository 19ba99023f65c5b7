import { type AdvantageEstimator, hasSpread } from "../algorithms/advantages.js";
import type { Reduction } from "../algorithms/reductions.js";
import type { Config } from "../config/schema.js";
import { maskedTokens, pack, type Sample, sampleOf, splitOverRanks } from "../learner/batch.js";
import type { OptimizerSettings, UpdatePlan } from "../learner/update.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import { lossSettings } from "./loss-settings.js";
import { type KlPenalty, scoreStep } from "./score.js";

type OptimizerConfig = Config["trainer"]["policy"]["optimizer_config"];

export interface StepPlan {
  /** One a rank. */
  plans: UpdatePlan[];
  /** Groups whose scores are all the same: no gradient comes from them. */
  groupsWithoutSpread: number;
  /** Sampled tokens. */
  tokens: number;
  /** Mean estimate of the divergence from the reference over sampled tokens; 0 where it is not in the reward. */
  divergence: number;
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
  updatesBefore: number;
  /** The learner's, before the step. */
  version: number;
  /** null: the policy may go anywhere. */
  kl: KlPenalty | null;
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
  const { samples_GS: scored_GS, divergence } = scoreStep(groups, config, algorithm.use_kl_in_reward ? at.kl : null);
  const advantages_GS = estimator(scored_GS, {
    normByStd: algorithm.grpo_norm_by_std,
    gamma: algorithm.gamma,
    lambda: algorithm.lambd,
  });
  const samples_GS = groups.map((group, g) =>
    group.map((t, s) => {
      const sample = sampleOf(t, advantages_GS[g]![s]!);
      if (algorithm.use_kl_loss && at.kl) sample.refLogp_T = at.kl.ref_GST[g]![s]!;
      if (algorithm.old_logprobs === "loglinear") sample.interpolation_T = proximity(t, at.version);
      const cut = config.generator.apply_overlong_filtering && t.finish !== "submitted";
      return cut ? { ...sample, lossMask_T: new Uint8Array(sample.lossMask_T.length) } : sample;
    }),
  );
  const perUpdate = trainer.policy_mini_batch_size ?? groups.length;
  const miniBatches = Math.ceil(groups.length / Math.max(1, perUpdate));
  const updates = miniBatches * trainer.update_epochs_per_batch;
  const { optimizer_config } = trainer.policy;
  const plans = Array.from(
    { length: at.world },
    (): UpdatePlan => ({
      miniBatches: [],
      epochs: trainer.update_epochs_per_batch,
      loss: lossSettings(algorithm, lossModule, at.kl?.beta ?? null),
      optimizer: optimizerSettings(optimizer_config),
      rates: Array.from({ length: updates }, (_, i) => rateAt(optimizer_config, at.updatesBefore + i)),
      maxTokens: trainer.max_tokens_per_microbatch,
    }),
  );
  let tokens = 0;
  for (let first = 0; first < groups.length; first += perUpdate) {
    const miniBatch = samples_GS.slice(first, first + perUpdate);
    const normalizer = Math.max(1, maskedTokens(miniBatch.flat()));
    const samples = reduced(miniBatch, reduction, normalizer, maxSeqLen);
    tokens += maskedTokens(samples);
    for (const [rank, share] of splitOverRanks(samples, at.world).entries()) {
      plans[rank]!.miniBatches.push({ batch: pack(share), normalizer });
    }
  }
  return { plans, groupsWithoutSpread, tokens, divergence };
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

/** Linear rise over the warm-up, then constant. `update` counts from 0. */
export function rateAt({ lr, num_warmup_steps: rise }: OptimizerConfig, update: number): number {
  return rise > 0 ? lr * Math.min(1, (update + 1) / rise) : lr;
}

export function optimizerSettings(config: OptimizerConfig): OptimizerSettings {
  const [beta1, beta2] = config.adam_betas;
  return { beta1, beta2, weightDecay: config.weight_decay, maxGradNorm: config.max_grad_norm };
}
