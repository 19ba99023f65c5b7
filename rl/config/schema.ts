import { z } from "zod";
import { advantageNames } from "../algorithms/advantages.js";

// Names are SkyRL's where it has the setting. Every object is strict: a key nobody reads is refused, never ignored.

const count = z.int().min(1);
const fraction = z.number().min(0).max(1);
const positive = z.number().gt(0);
const anything = z.unknown().optional(); // read, and checked, by the runtime
const section = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

const optimizer = (lr: number) =>
  section({
    lr: positive.default(lr),
    adam_betas: z.tuple([fraction, fraction]).default([0.9, 0.999]),
    weight_decay: z.number().min(0).default(0),
    /** 0: no clipping. */
    max_grad_norm: z.number().min(0).default(1),
    /** Steps over which the rate rises from 0. */
    num_warmup_steps: z.int().min(0).default(0),
  });

const model = section({
  /** Folder of a Hugging Face checkpoint to start from; null: a fresh model of the shape below. */
  path: z.string().nullable().default(null),
  dim: count.default(64),
  layers: count.default(2),
  heads: count.default(4),
  kv_heads: count.default(4),
  head_dim: count.default(16),
  ffn_dim: count.default(176),
  rope_theta: positive.default(10_000),
  norm_eps: positive.default(1e-6),
  tied_embeddings: z.boolean().default(true),
  max_seq_len: count.default(256),
});

const algorithm = section({
  /** A registered name, or `./module.js` whose default export is an estimator. */
  advantage_estimator: z
    .string()
    .refine((name) => advantageNames().includes(name) || /^[./].*\.[cm]?js$/.test(name), {
      error: () => `one of ${advantageNames().join(", ")}, or the path of a module`,
    })
    .default("grpo"),
  grpo_norm_by_std: z.boolean().default(true),
  policy_loss_type: z.enum(["regular"]).default("regular"),
  loss_reduction: z.enum(["token_mean", "seq_mean_token_sum_norm"]).default("token_mean"),
  eps_clip_low: fraction.default(0.2),
  eps_clip_high: fraction.default(0.28),
  use_entropy_loss: z.boolean().default(true),
  entropy_loss_coef: z.number().min(0).default(0.01),
  /** The proximal policy of the ratio: `rollout` as the engine sampled, `learner` as recomputed before the first update of a step. */
  old_logprobs: z.enum(["rollout", "learner"]).default("rollout"),
  /** Needs `old_logprobs: learner`. */
  off_policy_correction: section({
    tis_ratio_type: z.enum(["token", "sequence"]).nullable().default(null),
    token_tis_ratio_clip_high: positive.default(2),
    sequence_tis_ratio_clip_high: positive.default(5),
  }),
});

const trainer = section({
  mode: z.enum(["async", "sync"]).default("async"),
  seed: z.int().min(0).max(0xffffffff).default(42),
  max_training_steps: z.int().min(0).default(100),
  /** Prompts a step; each gives a group of `generator.n_samples_per_prompt`. */
  train_batch_size: count.default(24),
  /** Prompts an optimizer update; null: the whole batch. */
  policy_mini_batch_size: count.nullable().default(null),
  update_epochs_per_batch: count.default(1),
  max_tokens_per_microbatch: count.default(16_384),
  /** Steps that may pass between the weights that sampled a token and the step that trains on it. `sync` means 0. */
  max_staleness_steps: z.int().min(0).default(1),
  /** Data-parallel ranks of the learner. */
  learner_ranks: count.default(2),
  learner_threads: count.default(1),
  eval_before_train: z.boolean().default(true),
  /** Steps between evaluations during the training; -1: only before and after. */
  eval_interval: z.int().default(-1),
  /** Steps between checkpoints; -1: only at the end. */
  ckpt_interval: z.int().default(-1),
  /** A step that takes longer than this has failed. */
  step_timeout_seconds: positive.default(300),
  policy: section({ model, optimizer_config: optimizer(1e-3) }),
  algorithm,
  /** Supervised start on the environment's demonstrations, before any RL. */
  warm_start: section({
    steps: z.int().min(0).default(0),
    batch_size: count.default(64),
    optimizer_config: optimizer(3e-3),
  }),
});

const sampling = (temperature: number) =>
  section({
    /** 0 is greedy. */
    temperature: z.number().min(0).default(temperature),
    top_p: fraction.default(1),
    /** -1: off. */
    top_k: z.int().min(-1).default(-1),
  });

const generator = section({
  n_samples_per_prompt: count.default(8),
  /** null: as many as the environment allows. */
  max_turns: count.nullable().default(null),
  /** Tokens of one action; null: as the environment says. */
  max_generate_length: count.nullable().default(null),
  sampling_params: sampling(1),
  eval_sampling_params: sampling(0),
  num_inference_engines: count.default(1),
  inference_engine_threads: count.default(1),
  max_num_seqs: count.default(64),
  num_rollout_actors: count.default(1),
  /** Episodes at once over all rollout actors. */
  num_parallel_generation_workers: count.default(64),
  /** Tries of an episode that fails for a reason that is not the policy's. */
  max_attempts: count.default(4),
});

export const schema = z.strictObject({
  /** `quickstart`, or `./module.js` whose default export is a Job. Settings below override the recipe's. */
  recipe: z.string().default("quickstart"),
  trainer,
  generator,
  environment: section({
    /** A built-in one (`actors gym ls`), or `./module.js#name`: the export that is an EnvironmentDef. */
    env_class: z.string().default("quickstart"),
    /** Tasks of an evaluation; null: all that are held out. */
    eval_tasks: count.nullable().default(null),
    sandboxes: count.default(32),
    sandbox_backend: z.enum(["auto", "bubblewrap", "process"]).default("auto"),
  }),
  cluster: section({
    nodes: count.default(1),
    spares: anything,
    autoscale: anything,
    resources: anything,
    labels: anything,
    slots: anything,
  }),
  objects: anything,
});

export type Config = z.output<typeof schema>;
export type ConfigInput = z.input<typeof schema>;
