import type { Config } from "../config/schema.js";
import { maskedTokens, pack, type Sample, splitOverRanks } from "../learner/batch.js";
import type { LossSettings, OptimizerSettings, UpdatePlan } from "../learner/update.js";

type OptimizerConfig = Config["trainer"]["policy"]["optimizer_config"];

export interface MiniBatchSpec {
  /** Ranks. */
  world: number;
  /** Prompts of an optimizer update; null: all. */
  size: number | null;
  epochs: number;
  loss: LossSettings;
  optimizer: OptimizerConfig;
  /** Updates that went before, for the learning rate. */
  before: number;
  maxTokens: number;
}

/** Gives the samples of a mini-batch their weights in its reduction. */
type Weigh = (samples_GS: readonly Sample[][], normalizer: number) => Sample[];

/** Mini-batches of whole groups, of each a share of about equal size for every rank. One plan a rank. */
export function planUpdates(
  samples_GS: readonly Sample[][],
  spec: MiniBatchSpec,
  weigh: Weigh = (g) => g.flat(),
): UpdatePlan[] {
  const size = spec.size ?? samples_GS.length;
  const updates = Math.ceil(samples_GS.length / Math.max(1, size)) * spec.epochs;
  const plans = Array.from(
    { length: spec.world },
    (): UpdatePlan => ({
      miniBatches: [],
      epochs: spec.epochs,
      loss: spec.loss,
      optimizer: optimizerSettings(spec.optimizer),
      rates: Array.from({ length: updates }, (_, i) => rateAt(spec.optimizer, spec.before + i)),
      maxTokens: spec.maxTokens,
    }),
  );
  for (let first = 0; first < samples_GS.length; first += size) {
    const miniBatch = samples_GS.slice(first, first + size);
    const normalizer = Math.max(1, maskedTokens(miniBatch.flat()));
    for (const [rank, share] of splitOverRanks(weigh(miniBatch, normalizer), spec.world).entries()) {
      plans[rank]!.miniBatches.push({ batch: pack(share), normalizer });
    }
  }
  return plans;
}

/** Updates of a step that lacks no prompt. */
export function updatesAStep({ trainer }: Pick<Config, "trainer">, size: number | null): number {
  return trainer.update_epochs_per_batch * Math.ceil(trainer.train_batch_size / (size ?? trainer.train_batch_size));
}

/** Linear rise over the warm-up, then as the schedule says; `num_training_steps` is known by then. `update` counts from 0. */
export function rateAt(config: OptimizerConfig, update: number): number {
  const { lr, num_warmup_steps: rise, scheduler, num_training_steps: all, min_lr_ratio: floor } = config;
  if (update < rise) return (lr * (update + 1)) / rise;
  if (scheduler === "constant_with_warmup" || all === null) return lr;
  const gone = Math.min(1, (update - rise) / Math.max(1, all - rise));
  const left = scheduler === "linear" ? 1 - gone : (1 + Math.cos(Math.PI * gone)) / 2;
  return lr * (floor + (1 - floor) * left);
}

/** With the length of its schedule, which a later change of the run's length does not change. */
export function scheduled<C extends OptimizerConfig>(config: C, updates: number): C {
  if (config.scheduler === "constant_with_warmup" || config.num_training_steps !== null) return config;
  return { ...config, num_training_steps: Math.max(1, updates) };
}

export function optimizerSettings(config: OptimizerConfig): OptimizerSettings {
  const [beta1, beta2] = config.adam_betas;
  return { beta1, beta2, weightDecay: config.weight_decay, maxGradNorm: config.max_grad_norm };
}
