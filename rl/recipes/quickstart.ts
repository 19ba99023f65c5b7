import type { ConfigInput } from "../config/schema.js";
import { quickstart as environment } from "../environments/quickstart/index.js";
import { type Recipe, trainingJob } from "./job.js";

/**
 * A transformer of some 100,000 parameters learns to mend a service's configuration: a warm start teaches it the commands of
 * its tools, reinforcement learning teaches it which file to read next, which one to edit, and when to stop.
 */
export const settings: ConfigInput = {
  recipe: "quickstart",
  trainer: {
    mode: "async",
    max_staleness_steps: 1,
    seed: 0,
    max_training_steps: 40,
    train_batch_size: 24,
    policy_mini_batch_size: 8,
    learner_ranks: 2,
    policy: {
      model: { dim: 64, layers: 3, heads: 4, kv_heads: 4, head_dim: 16, ffn_dim: 160, max_seq_len: 192 },
      optimizer_config: { lr: 1e-3, adam_betas: [0.9, 0.95], num_warmup_steps: 5 },
    },
    algorithm: {
      advantage_estimator: "grpo",
      eps_clip_low: 0.2,
      eps_clip_high: 0.28,
      use_entropy_loss: true,
      entropy_loss_coef: 0.01,
    },
    warm_start: { steps: 250, batch_size: 64, optimizer_config: { lr: 3e-3, num_warmup_steps: 20 } },
  },
  generator: { n_samples_per_prompt: 8, sampling_params: { temperature: 1 }, eval_sampling_params: { temperature: 0 } },
  environment: { env_class: environment.name, sandboxes: 32 },
};

export const recipe: Recipe = {
  name: "quickstart",
  describe: "A small transformer learns a multi-turn task with real tools, in about two minutes on two cores.",
  settings,
};

export const quickstart = trainingJob(recipe);
