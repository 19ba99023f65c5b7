import { z } from "zod";
import { advantages } from "../algorithms/advantages.js";
import { klEstimators } from "../algorithms/kl.js";
import { policyLosses } from "../algorithms/policy-losses.js";
import { reductions } from "../algorithms/reductions.js";
import { isModulePath, type Registry } from "../algorithms/registry.js";
import { sinkNames } from "../run/sink-names.js";
import { backendNames, pullPolicies } from "../sandbox/names.js";

// Names are SkyRL's where it has the setting. Every object is strict: a key nobody reads is refused, never ignored.

const klNames = Object.keys(klEstimators) as (keyof typeof klEstimators)[];
const count = z.int().min(1);
const fraction = z.number().min(0).max(1);
const positive = z.number().gt(0);
const anything = z.unknown().optional(); // read, and checked, by the runtime
const section = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

/** A registered name, or the path of a module. */
const algorithmOf = (registry: Registry<unknown>) =>
  z.string().refine((name) => registry.names().includes(name) || isModulePath(name), {
    error: () => `one of ${registry.names().join(", ")}, or the path of a module`,
  });

const optimizer = (lr: number) =>
  section({
    lr: positive.default(lr),
    adam_betas: z.tuple([fraction, fraction]).default([0.9, 0.999]),
    weight_decay: z.number().min(0).default(0),
    /** 0: no clipping. */
    max_grad_norm: z.number().min(0).default(1),
    /** Updates over which the rate rises from 0. */
    num_warmup_steps: z.int().min(0).default(0),
    /** The rate after that: the same, or falling to `min_lr_ratio` of it along a line or half a cosine. */
    scheduler: z.enum(["constant_with_warmup", "linear", "cosine"]).default("constant_with_warmup"),
    /** Updates until it has fallen, the warm-up included; null: all that the run begins with. */
    num_training_steps: count.nullable().default(null),
    min_lr_ratio: fraction.default(0),
  });

/** Matrices that adapters can be of. */
export const projections = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"] as const;

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
  /** Only adapters of low rank learn; rank 0: every parameter does. */
  lora: section({
    rank: z.int().min(0).default(0),
    alpha: positive.default(16),
    target_modules: z.union([z.literal("all-linear"), z.array(z.enum(projections)).min(1)]).default("all-linear"),
  }),
});

const algorithm = section({
  advantage_estimator: algorithmOf(advantages).default("grpo"),
  /** Of `grpo` and `turn_level`. */
  grpo_norm_by_std: z.boolean().default(true),
  /** Discount a token (`reinforce++`, `gae`) or a turn (`turn_level`, milestones). */
  gamma: fraction.default(1),
  /** Of `gae`. */
  lambd: fraction.default(1),
  policy_loss_type: algorithmOf(policyLosses).default("regular"),
  /** How far a critic's value may move from what it was when the step was played. */
  value_clip: positive.default(0.2),
  /** Of the policy's loss; the entropy bonus is a token mean under each. */
  loss_reduction: algorithmOf(reductions).default("token_mean"),
  /** The ratio's bounds are 1 - low and 1 + high. Sequence ratios (`gspo`) want a thousandth of these. */
  eps_clip_low: fraction.default(0.2),
  eps_clip_high: positive.default(0.28),
  /** Of `dual_clip`: bound of the ratio where the advantage is negative. */
  clip_ratio_c: z.number().gt(1).default(3),
  /** Bounds of the weight, as above. */
  cispo: section({ cispo_eps_clip_low: fraction.default(1), cispo_eps_clip_high: positive.default(4) }),
  /** Steepness of the gate for positive advantages and for others. */
  sapo: section({ tau_pos: positive.default(1), tau_neg: positive.default(1.05) }),
  /** Probability that a token may lose or gain since it was sampled before it is left out. */
  dppo: section({ delta_low: fraction.default(0.2), delta_high: fraction.default(0.2) }),
  use_entropy_loss: z.boolean().default(true),
  entropy_loss_coef: z.number().min(0).default(0.01),
  /** Adds beta * KL(policy || policy before the first step) to the loss, as a token mean. */
  use_kl_loss: z.boolean().default(false),
  /** Takes beta * KL(policy || policy before the first step) from each token's reward. */
  use_kl_in_reward: z.boolean().default(false),
  kl_estimator_type: z.enum(klNames).default("k3"),
  /** beta, or where it begins. */
  kl_loss_coef: z.number().min(0).default(0.001),
  /** `adaptive` moves beta until the mean estimate is `kl_target`, by at most a fifth in `horizon` sequences. */
  kl_ctrl: section({
    type: z.enum(["fixed", "adaptive"]).default("fixed"),
    kl_target: positive.default(0.1),
    horizon: count.default(10_000),
  }),
  /**
   * On-policy distillation: each sampled token gets `coef` * (log p of the teacher - log p of the policy) on top of its advantage; with
   * `advantage_estimator: none` that is all it gets.
   */
  distillation: section({
    /** Folder of the teacher's checkpoint, of the same vocabulary; null: no teacher. */
    teacher: z.string().nullable().default(null),
    coef: positive.default(1),
  }),
  /** Factor of the potential-based reward for milestones; 0: none. It does nothing to estimators that see only an episode's score. */
  milestone_shaping: z.number().min(0).default(0),
  /** The last `len` of the `max_len` tokens that a response may sample cost up to `penalty_factor`; null: nothing. */
  overlong_buffer: section({
    len: count.nullable().default(null),
    max_len: count.nullable().default(null),
    penalty_factor: z.number().min(0).default(1),
  }),
  /** What to do with prompts whose samples all score the same: train on others, or on other ones of the step twice. */
  dynamic_sampling: section({
    type: z.enum(["filter", "replace"]).nullable().default(null),
    /** Batches of a step at most; then the run ends with an error. */
    max_sample_batches: count.default(30),
    /** Of `replace`: share of the prompts that must differ in score, else more are asked for. */
    min_replace_ratio: fraction.default(0.3),
  }),
  /**
   * The proximal policy of the ratio: `rollout` as the engine sampled, `learner` as recomputed before the first update of a step,
   * `loglinear` between the rollout and the present by the version of each token's weights (`decoupled_ppo` only).
   */
  old_logprobs: z.enum(["rollout", "learner", "loglinear"]).default("rollout"),
  /** Needs `old_logprobs: learner`. */
  off_policy_correction: section({
    /** Drops a sequence with any token's ratio outside of these; 1e-4 and 100 are usual. null: no such bound. */
    outlier_token_is_threshold_low: positive.nullable().default(null),
    outlier_token_is_threshold_high: positive.nullable().default(null),
    /** `icepop`: the ratio inside of the band and 0 outside; `mis`: 1 inside and 0 outside. */
    mask_type: z.enum(["icepop", "mis"]).nullable().default(null),
    /** Of `mis`. */
    mask_ratio_type: z.enum(["token", "sequence"]).default("token"),
    token_mask_is_threshold_low: positive.default(0.5),
    token_mask_is_threshold_high: positive.default(5),
    /** Truncated weights of each token or sequence. */
    tis_ratio_type: z.enum(["token", "sequence"]).nullable().default(null),
    token_tis_ratio_clip_high: positive.default(2),
    sequence_tis_ratio_clip_high: positive.default(5),
    /** Keeps a sequence by the geometric mean of its ratios; with `tis_ratio_type: token` this is `seq_mask_tis`. */
    sequence_mask_metric: z.enum(["geometric"]).nullable().default(null),
    geo_mask_low: positive.default(0.999),
    geo_mask_high: positive.default(1.002),
  }),
});

const trainer = section({
  /**
   * `sync`: a step's episodes are played by the weights it trains on. `one_step_off`: by those of the step before, while that one is
   * learned from. `async`: a step trains on the groups that are complete first, at most `max_staleness_steps` old.
   */
  mode: z.enum(["async", "one_step_off", "sync"]).default("async"),
  seed: z.int().min(0).max(0xffffffff).default(42),
  max_training_steps: z.int().min(0).default(100),
  /** Passes over `data.train_data`, in place of `max_training_steps`; null: no such bound. */
  epochs: count.nullable().default(null),
  /** Tokens of a prompt; a row with more is left out, and reported. null: no bound of its own. */
  max_prompt_length: count.nullable().default(null),
  /** Prompts a step; each gives a group of `generator.n_samples_per_prompt`. */
  train_batch_size: count.default(24),
  /** Prompts an optimizer update; null: the whole batch. */
  policy_mini_batch_size: count.nullable().default(null),
  update_epochs_per_batch: count.default(1),
  max_tokens_per_microbatch: count.default(16_384),
  /** Of `async`: steps that may pass between the weights that sampled a token and the step that trains on it. */
  max_staleness_steps: z.int().min(0).default(1),
  /** Of an episode with tokens beyond that: `redo` plays it again, `mask` keeps it and those tokens out of the loss. */
  stale_tokens: z.enum(["redo", "mask"]).default("redo"),
  /** Not of `async`: prompts asked for beyond `train_batch_size`; the slowest so many of a step are cut. Favours short episodes. */
  spare_prompts: z.int().min(0).default(0),
  /** Data-parallel ranks of the learner; each keeps the optimizer's state of its share of the weights. */
  learner_ranks: count.default(2),
  learner_threads: count.default(1),
  /** Keeps only what enters each layer, and computes activations again in the backward pass: less memory, a forward pass more. */
  gradient_checkpointing: z.boolean().default(false),
  eval_before_train: z.boolean().default(true),
  /** Steps between evaluations during the training; -1: only before and after. */
  eval_interval: z.int().default(-1),
  /** Steps between saved states of the learner: what a resumed run has to do again at most. */
  ckpt_interval: count.default(10),
  /** Steps between checkpoints that transformers can load; -1: only at the end. */
  hf_save_interval: z.int().default(-1),
  /** Where metrics go beside the screen and `metrics.jsonl`: event files for TensorBoard (W&B reads them), an OpenTelemetry collector (OTEL_EXPORTER_OTLP_ENDPOINT). */
  logger: z
    .preprocess((given) => (typeof given === "string" ? [given] : given), z.array(z.enum(sinkNames)))
    .default([]),
  /** A step that takes longer than this has failed. */
  step_timeout_seconds: positive.default(300),
  policy: section({ model, optimizer_config: optimizer(1e-3) }),
  /** Of `gae`: as many ranks as the policy's learner has. */
  critic: section({
    /** Folder of a critic, or of a language model whose trunk it takes; null: the policy as it is before the first step. */
    model: section({ path: z.string().nullable().default(null) }),
    optimizer_config: optimizer(1e-3),
  }),
  /** Prompts an optimizer update of the critic; null: the whole batch. */
  critic_mini_batch_size: count.nullable().default(null),
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
    min_p: fraction.default(0),
    repetition_penalty: positive.default(1),
    presence_penalty: z.number().default(0),
    frequency_penalty: z.number().default(0),
    min_tokens: z.int().min(0).default(0),
    /** Texts that end an action, besides the tokenizer's own end; they stay in it. */
    stop: z.array(z.string().min(1)).default([]),
  });

const generator = section({
  n_samples_per_prompt: count.default(8),
  /** Episodes that did not end by themselves (`finish` is not `submitted`) stay in their group's baseline but out of the loss. */
  apply_overlong_filtering: z.boolean().default(false),
  /** null: as many as the environment allows. */
  max_turns: count.nullable().default(null),
  /** Tokens of one action; null: as the environment says. */
  max_generate_length: count.nullable().default(null),
  sampling_params: sampling(1),
  /** Of training: the temperature goes from `sampling_params.temperature` to `end` along a line, in so many steps; null: it stays. */
  temperature_schedule: section({
    end: positive.nullable().default(null),
    steps: count.default(100),
  }),
  /** Variables of the checkpoint's chat template, such as `enable_thinking`. */
  chat_template_kwargs: z.record(z.string(), z.json()).default({}),
  eval_sampling_params: sampling(0),
  /** Tries of each held-out task: with n there is a pass@k for k up to n. */
  eval_n_samples_per_prompt: count.default(1),
  /**
   * Tree sampling: so many episodes of a group begin at the task; each of the others branches off one of them at a turn, whose state is
   * brought about by taking its actions again, and shares all before it. null: all begin at the task.
   */
  tree: section({ roots: count.nullable().default(null) }),
  /** What the policy reads of a long episode. Tokens that it sampled are trained on once, in the context in which it sampled them. */
  context: section({
    /**
     * When there is no room for an action: end the episode; leave out what old observations say; leave out old turns; or have the
     * policy write a summary, which it is trained on too, and go on from that.
     */
    policy: z.enum(["none", "truncate_observations", "sliding_window", "summarise"]).default("none"),
    /** Tokens of a context; null: as many as the model holds. */
    max_tokens: count.nullable().default(null),
    /** Of `truncate_observations` and `sliding_window`: the share of these that is left. */
    keep: z.number().gt(0).lt(1).default(0.5),
    /** Of `summarise`: tokens that a summary may have. */
    summary_tokens: count.default(512),
    /** An observation of more tokens loses its middle, under any policy; null: none does. */
    max_observation_tokens: count.nullable().default(null),
  }),
  /** Who samples: engines of our own, or servers of another maker that run already, at the addresses below. */
  backend: z.enum(["native", "vllm", "sglang"]).default("native"),
  /** `host:port` or URLs. They must be able to read the run's folder: weights go to them through it. */
  remote_inference_engine_urls: z.array(z.string().min(1)).default([]),
  /** Of such a server: mean |log p of the engine - log p of the learner| that is allowed after a change of weights. */
  max_logprob_gap: positive.default(0.1),
  num_inference_engines: count.default(1),
  inference_engine_threads: count.default(1),
  max_num_seqs: count.default(64),
  /** Keys and values of episodes under way when weights change: computed again, which keeps log-probabilities exact, or kept. */
  kv_on_weight_update: z.enum(["recompute", "keep"]).default("recompute"),
  num_rollout_actors: count.default(1),
  /** Episodes whose policy acts at once, over all rollout actors. */
  num_parallel_generation_workers: count.default(64),
  /** Episodes that are prepared, and graded, at once; null: as many as act. One in a later stage holds its sandbox. */
  max_parallel_inits: count.nullable().default(null),
  max_parallel_evals: count.nullable().default(null),
  /** What takes longer has failed, and is played again. `run` null: as long as the step may take. */
  stage_timeout_seconds: section({
    init: positive.default(120),
    run: positive.nullable().default(null),
    reward: positive.default(120),
  }),
  /** Tries of an episode that fails for a reason that is not the policy's. */
  max_attempts: count.default(4),
  /** An episode that takes longer stores this often how far it is: after a death it is continued from there. */
  progress_interval_seconds: z.number().min(0).default(30),
});

const data = section({
  /** Rows of SkyRL's kind: .parquet, .jsonl, .jsonl.gz, .json, or a folder of a Hugging Face data set (`folder:split`). Empty: the environment makes its tasks. */
  train_data: z.array(z.string()).default([]),
  /** What is evaluated on. Empty: the environment's held-out tasks. */
  val_data: z.array(z.string()).default([]),
  /** Each epoch in an order of its own. */
  shuffle: z.boolean().default(true),
  /** Weight of each `data_source`; null: as many as it has rows. */
  mixture: z.record(z.string(), z.number().min(0)).nullable().default(null),
  /** From easy rows to all: for `steps` steps they are drawn from a growing share of the easiest, from `start` on. */
  curriculum: section({
    /** Key of `extra_info` whose number says how hard a row is; null: no curriculum. */
    by: z.string().nullable().default(null),
    start: z.number().gt(0).max(1).default(0.2),
    steps: count.default(100),
  }),
  /** What to do with rows that cannot be read: stop before anything starts, or leave them out. Each is reported. */
  malformed: z.enum(["refuse", "drop"]).default("refuse"),
});

export const schema = z.strictObject({
  /** `quickstart`, `train` (nothing but the settings below), or `./module.js` whose default export is a Job. Settings below override the recipe's. */
  recipe: z.string().default("quickstart"),
  trainer,
  generator,
  data,
  environment: section({
    /** A built-in one (`actors gym ls`), `gymnasium:CartPole-v1`, or `./module.js#name`: the export that is an EnvironmentDef. */
    env_class: z.string().default("quickstart"),
    /** Tasks of an evaluation; null: all that are held out. */
    eval_tasks: count.nullable().default(null),
    sandboxes: count.default(32),
    /** What sandboxes are apart from the host by; `auto`: the strongest that works, on the same machine. */
    sandbox_backend: z.enum(["auto", ...backendNames]).default("auto"),
    /** Image of docker or podman for sandboxes whose task names none, such as `debian:12`. */
    sandbox_image: z.string().min(1).nullable().default(null),
    /** What docker or podman does about an image that it has not. */
    sandbox_pull: z.enum(pullPolicies).default("never"),
    /** Of the remote backend: where `actors sandbox serve` runs, and the file with its key, on each node. */
    sandbox_server: section({
      url: z
        .url({ protocol: /^https?$/ })
        .nullable()
        .default(null),
      api_key_file: z.string().min(1).nullable().default(null),
    }),
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
