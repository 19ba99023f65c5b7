import type { Config } from "../config/schema.js";

// SkyRL's settings and ours. A key that is in neither table and in our schema means the same here.

/** SkyRL's values of what a command leaves unsaid, where ours are others. */
export const skyDefaults: Readonly<Record<string, unknown>> = {
  "trainer.epochs": 1,
  "trainer.train_batch_size": 1024,
  "trainer.policy_mini_batch_size": 256,
  "trainer.max_prompt_length": 512,
  "trainer.eval_interval": 5,
  "trainer.ckpt_interval": 10,
  "trainer.gradient_checkpointing": true,
  "trainer.policy.model.path": "Qwen/Qwen2.5-1.5B-Instruct",
  "trainer.policy.optimizer_config.lr": 1e-6,
  "trainer.policy.optimizer_config.weight_decay": 0.01,
  "trainer.algorithm.eps_clip_high": 0.2,
  "trainer.algorithm.use_entropy_loss": false,
  "trainer.algorithm.use_kl_loss": true,
  "trainer.algorithm.off_policy_correction.geo_mask_low": 0.99,
  "trainer.algorithm.off_policy_correction.geo_mask_high": 1.01,
  "generator.n_samples_per_prompt": 5,
  "generator.max_turns": 1,
  "generator.sampling_params.max_generate_length": 1024,
  "environment.env_class": "gsm8k",
};

type Value = unknown;
type Flat = ReadonlyMap<string, Value>;
/** Ours, by key. `given` holds all of SkyRL's. */
type Moved = (value: Value, given: Flat) => Record<string, Value>;

const to =
  (key: string): Moved =>
  (value) => ({ [key]: value });
const number = (value: Value, otherwise: number) => (typeof value === "number" ? value : otherwise);

/** Theirs starts vLLM by itself unless it is told not to; ours calls servers that run already. */
const ofServers =
  (key: string): Moved =>
  (value, given) =>
    given.get("generator.run_engines_locally") === false ? { [key]: value } : {};

const engines = to("generator.num_inference_engines");
const sequences = to("generator.max_num_seqs");
const length = (given: Flat) => given.get("generator.sampling_params.max_generate_length");
/** SkyRL's built-in environments that ours play. */
const environments: Readonly<Record<string, Config["environment"]["env_class"]>> = {
  gsm8k: "arithmetic",
  gsm8k_multi_turn: "arithmetic",
};

/** What has another name, place or unit here. */
export const moved: Readonly<Record<string, Moved>> = {
  "generator.sampling_params.max_generate_length": to("generator.max_generate_length"),
  "generator.backend": ofServers("generator.backend"),
  "generator.remote_inference_engine_urls": ofServers("generator.remote_inference_engine_urls"),
  "generator.inference_engine.num_engines": engines,
  "generator.inference_engine.max_num_seqs": sequences,
  "trainer.fully_async.max_staleness_steps": to("trainer.max_staleness_steps"),
  // Theirs plays a group at a time, ours an episode.
  "trainer.fully_async.num_parallel_generation_workers": (value, given) => ({
    "generator.num_parallel_generation_workers":
      number(value, 1) * number(given.get("generator.n_samples_per_prompt"), 1),
  }),
  "trainer.placement.policy_num_gpus_per_node": (value, given) => ({
    "trainer.learner_ranks": number(value, 1) * number(given.get("trainer.placement.policy_num_nodes"), 1),
  }),
  "trainer.algorithm.overlong_buffer_len": (value, given) => ({
    "trainer.algorithm.overlong_buffer.len": value,
    "trainer.algorithm.overlong_buffer.max_len": length(given),
  }),
  "trainer.algorithm.overlong_buffer_penalty_factor": to("trainer.algorithm.overlong_buffer.penalty_factor"),
  "trainer.algorithm.use_tis": (value) =>
    value === true ? { "trainer.algorithm.off_policy_correction.tis_ratio_type": "token" } : {},
  "trainer.algorithm.tis_imp_ratio_cap": (value) =>
    number(value, 0) > 0 ? { "trainer.algorithm.off_policy_correction.token_tis_ratio_clip_high": value } : {},
  // W&B reads TensorBoard's files.
  "trainer.logger": (value) => ({
    "trainer.logger": [value]
      .flat()
      .map((name) => (/^(wandb|tensorboard|mlflow|swanlab)$/.test(String(name)) ? "tensorboard" : name)),
  }),
  "environment.env_class": (value) => ({ "environment.env_class": environments[String(value)] ?? value }),
};

const placed = "where torch puts a model and how it cuts it up; here the learner's ranks each hold it whole";
const runs = "a run keeps its files in runs/, and its checkpoint is in Hugging Face's format";
const engine = "of vLLM or SGLang, where they are started; the engine here is our own, or a server that runs already";
const always = "always so here";
const named = "a run is named by its time and recipe";
const fresh = "the reference is the policy as it is before the first step";

/** What there is nothing for, by the beginning of the key, the longest first. */
export const leftOut: readonly [prefix: string, why: string][] = [
  ["trainer.placement.policy_num_nodes", "counted in trainer.learner_ranks"],
  ["trainer.placement", placed],
  ["trainer.strategy", placed],
  ["trainer.policy.fsdp_config", placed],
  ["trainer.policy.megatron_config", placed],
  ["trainer.policy.sequence_parallel_size", placed],
  ["trainer.sequence_parallel_backend", placed],
  ["trainer.policy.model.lora", "the learner trains all weights; it has no LoRA"],
  ["trainer.policy.language_model_only", "the model is one of language"],
  ["trainer.policy.optimizer_config.offload_after_step", placed],
  ["trainer.policy.use_torch_compile", "there is no torch"],
  ["trainer.policy.record_memory", "`actors check` estimates the memory"],
  ["trainer.ref", fresh],
  ["trainer.update_ref_every_epoch", fresh],
  ["trainer.critic", "the learner has no critic"],
  ["trainer.algorithm.value_clip", "the learner has no critic"],
  ["trainer.algorithm.max_seq_len", "the model's own length is taken"],
  ["trainer.fully_async.enabled", "said by trainer.mode"],
  ["trainer.fully_async", "weights are taken in the middle of a generation, with the cache computed anew"],
  ["trainer.micro_train_batch_size_per_gpu", "trainer.max_tokens_per_microbatch bounds a micro-batch by its tokens"],
  ["trainer.micro_forward_batch_size_per_gpu", "trainer.max_tokens_per_microbatch bounds a micro-batch by its tokens"],
  ["trainer.bf16", "the learner computes in fp32"],
  ["trainer.flash_attn", "the learner has one attention"],
  ["trainer.use_sample_packing", always],
  ["trainer.remove_microbatch_padding", always],
  ["trainer.fused_lm_head_logprob", always],
  ["trainer.policy.torch_profiler_config", "`actors profile` makes a profile"],
  ["trainer.resume", "`actors up` decides whether a run goes on"],
  ["trainer.ckpt_path", runs],
  ["trainer.export_path", runs],
  ["trainer.log_path", runs],
  ["trainer.max_ckpts_to_keep", "a run keeps its newest checkpoint"],
  ["trainer.hf_save_interval", runs],
  ["trainer.project_name", named],
  ["trainer.run_name", named],
  ["trainer.dump", runs],
  ["trainer.eval_batch_size", "all held-out tasks are asked for at once, and played as there is room"],
  ["trainer.rope", "the checkpoint says it"],
  ["trainer.disable_fast_tokenizer", "there is one kind of tokenizer"],
  ["generator.inference_engine", engine],
  ["generator.async_engine", always],
  ["generator.batched", "episodes are played each for itself, and share the engine's batch"],
  ["generator.model", "the engine has the learner's weights"],
  ["generator.run_engines_locally", "said by generator.backend"],
  ["generator.weight", "weights go through shared memory"],
  ["generator.gpu_memory_utilization", engine],
  ["generator.enable_prefix_caching", "the turns of an episode share their cache"],
  ["generator.enable_chunked_prefill", always],
  ["generator.max_num_batched_tokens", engine],
  ["generator.enforce_eager", engine],
  ["generator.vllm", engine],
  ["generator.engine_init_kwargs", engine],
  ["generator.enable_ray_prometheus_stats", "`actors metrics` serves Prometheus"],
  ["generator.override_existing_update_group", engine],
  ["generator.use_conversation_multi_turn", always],
  ["generator.chat_template", "the checkpoint's own template is taken"],
  ["generator.append_eos_token_after_stop_str_in_multi_turn", "an action ends with the tokenizer's end of text"],
  ["generator.max_input_length", "the model's own length is the bound"],
  ["generator.sampling_params.logprobs", always],
  ["generator.sampling_params.stop", "an action ends with the tokenizer's end of text"],
  ["generator.eval_sampling_params.stop", "an action ends with the tokenizer's end of text"],
  ["generator.eval_sampling_params.max_generate_length", "generator.max_generate_length holds for evaluations too"],
  [
    "generator.step_wise_trajectories",
    "an episode's tokens are trained on as they were sampled, whatever the number of turns",
  ],
  [
    "generator.merge_stepwise_output",
    "an episode's tokens are trained on as they were sampled, whatever the number of turns",
  ],
  ["generator.rate_limit", "generator.num_parallel_generation_workers bounds the episodes at once"],
  ["environment.skyrl_gym", "an environment has its own settings"],
];

/** The reason to leave a key out. */
export function whyLeft(key: string): string {
  const found = leftOut.filter(([prefix]) => key === prefix || key.startsWith(prefix));
  return found.sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? "there is nothing of that name here";
}
