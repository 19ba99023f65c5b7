import type { Config } from "./schema.js";

/** A key, and a sentence that names it. */
type Clash = [key: string, message: string];

/** Settings that are good by themselves and not together. */
export function* settingsThatClash(config: Config): Generator<Clash, void, undefined> {
  yield* algorithmClashes(config);
  yield* lossClashes(config);
  yield* correctionClashes(config);
  yield* sizeClashes(config);
  yield* modelClashes(config);
  yield* engineClashes(config);
  yield* contextClashes(config);
  yield* treeClashes(config);
  yield* sandboxClashes(config);
}

function* treeClashes({ generator }: Config): Generator<Clash> {
  const { tree, n_samples_per_prompt: samples } = generator;
  if (tree.roots === null || tree.roots < samples) return;
  const key = "generator.tree.roots";
  yield [key, `${key}: ${tree.roots} of the ${samples} samples of a prompt leave none to branch off`];
}

function* contextClashes({ generator }: Config): Generator<Clash> {
  const { context, max_generate_length: action } = generator;
  const { policy, max_tokens, summary_tokens } = context;
  const needed = (action ?? 1) + (policy === "summarise" ? summary_tokens : 0);
  if (max_tokens === null || max_tokens > needed) return;
  const key = "generator.context.max_tokens";
  yield [key, `${key}: ${max_tokens} leaves no room for a prompt, for what is sampled takes up to ${needed}`];
}

function* engineClashes({ generator }: Config): Generator<Clash> {
  const { backend, remote_inference_engine_urls: urls, kv_on_weight_update } = generator;
  const key = "generator.remote_inference_engine_urls";
  if (backend === "native" && urls.length > 0) {
    yield [key, `${key}: the native engine is started, not called: set generator.backend to vllm or sglang`];
  }
  if (backend !== "native" && urls.length === 0) yield [key, `${key}: generator.backend ${backend} needs at least one`];
  if (backend !== "native" && kv_on_weight_update === "keep") {
    const name = "generator.kv_on_weight_update";
    yield [name, `${name}: keep is for the native engine; ${backend} computes again what new weights change`];
  }
}

function* sandboxClashes({ environment }: Config): Generator<Clash> {
  const { sandbox_backend: backend, sandbox_image: image, sandbox_server: server } = environment;
  const section = "environment";
  if ((backend === "docker" || backend === "podman") && image === null) {
    const key = `${section}.sandbox_image`;
    yield [key, `${section}.sandbox_backend: ${backend} needs ${key}, for sandboxes whose task names no image`];
  }
  if ((backend === "bubblewrap" || backend === "process") && image !== null) {
    const key = `${section}.sandbox_image`;
    yield [key, `${key}: ${image} needs sandbox_backend: docker or podman, for ${backend} has no images`];
  }
  for (const name of ["url", "api_key_file"] as const) {
    const key = `${section}.sandbox_server.${name}`;
    if (backend === "remote" && server[name] === null) yield [key, `${section}.sandbox_backend: remote needs ${key}`];
  }
}

function* algorithmClashes({ trainer, generator }: Config): Generator<Clash> {
  const { algorithm, mode, spare_prompts } = trainer;
  if (mode === "async" && spare_prompts > 0) {
    const why = "is for modes that wait for a step's own prompts; async waits for no slow one";
    yield ["trainer.spare_prompts", `trainer.spare_prompts: ${spare_prompts} ${why}`];
  }
  if (algorithm.dynamic_sampling.type !== null && generator.n_samples_per_prompt < 2) {
    yield [
      "generator.n_samples_per_prompt",
      "trainer.algorithm.dynamic_sampling compares the samples of a prompt: generator.n_samples_per_prompt must be at least 2",
    ];
  }
  if (algorithm.advantage_estimator === "none" && algorithm.distillation.teacher === null) {
    const key = "trainer.algorithm.advantage_estimator";
    yield [key, `${key}: none teaches nothing without a teacher: name one in trainer.algorithm.distillation.teacher`];
  }
  const { len, max_len } = algorithm.overlong_buffer;
  if (len !== null && (max_len === null || len > max_len)) {
    const key = "trainer.algorithm.overlong_buffer.len";
    yield [key, `${key}: ${len} needs a max_len of at least as much, not ${max_len}`];
  }
}

function* lossClashes({ trainer }: Config): Generator<Clash> {
  const { policy_loss_type: loss, old_logprobs, use_kl_loss, use_kl_in_reward, ...rest } = trainer.algorithm;
  const section = "trainer.algorithm";
  if (use_kl_loss && use_kl_in_reward) {
    const key = `${section}.use_kl_loss`;
    yield [key, `${key} and use_kl_in_reward exclude each other: KL enters the reward or the loss, never both`];
  }
  if (loss === "decoupled_ppo" && old_logprobs === "rollout") {
    const key = `${section}.policy_loss_type`;
    const why = "for against the rollout itself it is regular";
    yield [key, `${key}: decoupled_ppo needs old_logprobs: learner or loglinear, ${why}`];
  }
  if (old_logprobs === "loglinear" && loss !== "decoupled_ppo") {
    const key = `${section}.old_logprobs`;
    const what = "is an approximation for policy_loss_type: decoupled_ppo";
    yield [key, `${key}: loglinear ${what}, not for ${loss}`];
  }
  const { mask_type, tis_ratio_type } = rest.off_policy_correction;
  if ((loss === "decoupled_ppo" || loss === "importance_sampling") && (mask_type === "icepop" || tis_ratio_type)) {
    const [name, value] = tis_ratio_type ? ["tis_ratio_type", ""] : ["mask_type", " icepop:"];
    const key = `${section}.off_policy_correction.${name}`;
    yield [key, `${key}:${value} ${loss} weighs by that ratio already; mask_type: mis goes with it`];
  }
}

function* correctionClashes({ trainer }: Config): Generator<Clash> {
  const { off_policy_correction: c, old_logprobs } = trainer.algorithm;
  const section = "trainer.algorithm.off_policy_correction";
  const keys = [
    ...["outlier_token_is_threshold_low", "outlier_token_is_threshold_high"],
    ...["mask_type", "tis_ratio_type", "sequence_mask_metric"],
  ] as (keyof typeof c)[];
  const asked = keys.find((key) => c[key] !== null);
  if (asked && old_logprobs !== "learner") {
    yield [
      `${section}.${asked}`,
      `${section}.${asked} needs trainer.algorithm.old_logprobs: learner, for the ratio of rollout to rollout is always 1`,
    ];
  }
  if (c.mask_type === "icepop" && c.tis_ratio_type !== null) {
    yield [
      `${section}.mask_type`,
      `${section}.mask_type: icepop weighs by the ratio already, and tis_ratio_type would do so again; mask_type: mis goes with it`,
    ];
  }
  for (const [low, high] of [
    ["outlier_token_is_threshold_low", "outlier_token_is_threshold_high"],
    ["token_mask_is_threshold_low", "token_mask_is_threshold_high"],
    ["geo_mask_low", "geo_mask_high"],
  ] as const) {
    if (c[low] === null || c[high] === null || c[low] <= c[high]) continue;
    yield [`${section}.${low}`, `${section}.${low}: ${c[low]} is above ${high}, which is ${c[high]}`];
  }
}

function* sizeClashes({ trainer, generator }: Config): Generator<Clash> {
  const { train_batch_size, learner_ranks } = trainer;
  for (const name of ["policy_mini_batch_size", "critic_mini_batch_size"] as const) {
    const [size, key] = [trainer[name] ?? train_batch_size, `trainer.${name}`];
    if (train_batch_size % size === 0) continue;
    yield [key, `${key}: ${size} does not divide trainer.train_batch_size, which is ${train_batch_size}`];
  }
  const perUpdate = trainer.policy_mini_batch_size ?? train_batch_size;
  const samples = perUpdate * generator.n_samples_per_prompt;
  if (learner_ranks > samples) {
    const key = "trainer.learner_ranks";
    yield [key, `${key}: ${learner_ranks} ranks share the ${samples} samples of an update, so some would have none`];
  }
  const { eval_n_samples_per_prompt: tries, eval_sampling_params: evaluated } = generator;
  if (tries > 1 && evaluated.temperature === 0) {
    const key = "generator.eval_n_samples_per_prompt";
    yield [key, `${key}: ${tries} greedy samples are all the same: raise generator.eval_sampling_params.temperature`];
  }
}

function* modelClashes({ trainer, generator }: Config): Generator<Clash> {
  const { model } = trainer.policy;
  if (model.path !== null) return; // its shape is the checkpoint's
  const section = "trainer.policy.model";
  if (model.heads % model.kv_heads !== 0) {
    yield [
      `${section}.kv_heads`,
      `${section}.kv_heads: ${model.kv_heads} does not divide heads, which is ${model.heads}`,
    ];
  }
  if (model.head_dim % 2 !== 0) {
    yield [`${section}.head_dim`, `${section}.head_dim: ${model.head_dim} is odd, and rotary positions turn pairs`];
  }
  const { max_generate_length: longest } = generator;
  if (longest !== null && longest >= model.max_seq_len) {
    const key = "generator.max_generate_length";
    yield [
      key,
      `${key}: ${longest} leaves no room for a prompt in ${section}.max_seq_len, which is ${model.max_seq_len}`,
    ];
  }
}
