import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveConfig } from "../config/load.js";
import { importSkyRl } from "./import.js";
import { readScript } from "./shell.js";

const at = (config: unknown, path: string) =>
  path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config);

/** With the shapes of the scripts that SkyRL publishes: continued lines, quotes in quotes, defaults, arithmetic. */
const gsm8k = `
# a comment with 'quotes'
: "\${DATA_DIR:="$HOME/data/gsm8k"}"
: "\${NUM_GPUS:=4}"
export LOGGER=wandb
uv run --isolated --extra fsdp -m skyrl.train.entrypoints.main_base \\
  data.train_data="['$DATA_DIR/train.parquet']" \\
  data.val_data="['$DATA_DIR/validation.parquet']" \\
  trainer.algorithm.advantage_estimator="grpo" \\
  trainer.policy.model.path="Qwen/Qwen2.5-1.5B-Instruct" \\
  trainer.placement.policy_num_gpus_per_node=$NUM_GPUS \\
  generator.inference_engine.num_engines=2 \\
  generator.inference_engine.gpu_memory_utilization=0.8 \\
  trainer.epochs=20 \\
  trainer.train_batch_size=1024 \\
  trainer.policy_mini_batch_size=256 \\
  trainer.micro_train_batch_size_per_gpu=64 \\
  generator.sampling_params.max_generate_length=1024 \\
  trainer.policy.optimizer_config.lr=1.0e-6 \\
  trainer.algorithm.use_kl_loss=false \\
  environment.env_class=gsm8k \\
  +generator.engine_init_kwargs.seed=1 \\
  trainer.logger="$LOGGER" \\
  $@
`;

test("a script becomes settings of the same meaning, with SkyRL's defaults where it says nothing", () => {
  const { config, left, notes } = importSkyRl(gsm8k, { HOME: "/home/ann" });
  const resolved = resolveConfig(config);
  assert.equal(resolved.recipe, "train");
  assert.deepEqual(resolved.data.train_data, ["/home/ann/data/gsm8k/train.parquet"]);
  const { trainer, generator, environment } = resolved;
  assert.deepEqual(
    [trainer.mode, trainer.epochs, trainer.learner_ranks, trainer.train_batch_size],
    ["sync", 20, 4, 1024],
  );
  assert.deepEqual(
    [generator.n_samples_per_prompt, generator.max_generate_length, generator.num_inference_engines],
    [5, 1024, 2],
  );
  assert.deepEqual([trainer.algorithm.eps_clip_high, trainer.algorithm.use_entropy_loss], [0.2, false]);
  assert.equal(environment.env_class, "arithmetic");
  assert.equal(trainer.policy.optimizer_config.lr, 1e-6);
  assert.equal(at(config, "trainer.seed"), undefined); // the same default
  const reasons = new Map(left.map(({ key, why }) => [key, why]));
  assert.match(reasons.get("generator.inference_engine.gpu_memory_utilization")!, /engine here is our own/);
  assert.match(reasons.get("trainer.micro_train_batch_size_per_gpu")!, /max_tokens_per_microbatch/);
  assert.ok(reasons.has("generator.engine_init_kwargs.seed"));
  assert.match(notes.join("\n"), /Qwen2.5-1.5B-Instruct is a name on the Hugging Face hub/);
});

test("an asynchronous command brings its staleness, its corrections and its groups of workers", () => {
  const { config } = importSkyRl(
    `MINI=32
WORKERS=$(( MINI * (1 + 1) ))
uv run -m examples.train.fully_async.main_fully_async trainer.fully_async.max_staleness_steps=2 \\
 trainer.fully_async.num_parallel_generation_workers=$WORKERS trainer.algorithm.off_policy_correction.tis_ratio_type=token \\
 trainer.algorithm.off_policy_correction.token_tis_ratio_clip_high=2.0 trainer.algorithm.use_kl_loss=False generator.n_samples_per_prompt=16 \\
 trainer.algorithm.overlong_buffer_len=$((1024 * 4)) generator.sampling_params.max_generate_length=8192 generator.eval_n_samples_per_prompt=32 \\
 generator.eval_sampling_params.temperature=1.0 trainer.train_batch_size=\${MINI} trainer.policy_mini_batch_size=\${MINI}`,
    {},
  );
  const { trainer, generator } = resolveConfig(config);
  assert.deepEqual(
    [trainer.mode, trainer.max_staleness_steps, generator.num_parallel_generation_workers],
    ["async", 2, 64 * 16],
  );
  assert.deepEqual(
    [trainer.algorithm.old_logprobs, trainer.algorithm.off_policy_correction.tis_ratio_type],
    ["learner", "token"],
  );
  assert.deepEqual({ ...trainer.algorithm.overlong_buffer }, { len: 4096, max_len: 8192, penalty_factor: 1 });
  assert.equal(generator.eval_n_samples_per_prompt, 32);
});

test("what our settings refuse is left out with the reason, so that what is written can be run", () => {
  const command =
    "python -m x trainer.algorithm.policy_loss_type=no_such_loss trainer.algorithm.loss_reduction=token_mean_legacy environment.env_class=aime trainer.ckpt_path=$HOME/ckpts data.train_data=\"['$WHERE/a.parquet']\"";
  const { config, left, notes } = importSkyRl(command, {});
  resolveConfig(config);
  const reasons = new Map(left.map(({ key, why }) => [key, why]));
  assert.match(reasons.get("trainer.algorithm.policy_loss_type")!, /must be one of/);
  assert.match(reasons.get("trainer.algorithm.loss_reduction")!, /must be one of token_mean/);
  assert.match(notes.join("\n"), /no value.*WHERE/);
  assert.match(notes.join("\n"), /there is no environment aime here/);
  assert.throws(() => importSkyRl("echo hello", {}), /there is no setting of SkyRL in it/);
});

test("YAML with OmegaConf's interpolations is read like a command", () => {
  const yaml = `
defaults: [_self_]
data: {train_data: ["\${oc.env:HOME}/a.parquet"]}
trainer:
  policy: {model: {path: /models/m}, fsdp_config: {fsdp_size: -1}}
  algorithm: {use_kl_loss: false}
  max_prompt_length: 700
generator: {model_name: "\${trainer.policy.model.path}", max_input_length: "\${trainer.max_prompt_length}"}
`;
  const { config, left } = importSkyRl(yaml, { HOME: "/home/ann" });
  assert.deepEqual(at(config, "data.train_data"), ["/home/ann/a.parquet"]);
  assert.equal(at(config, "trainer.policy.model.path"), "/models/m");
  assert.deepEqual(
    left.map(({ key, value }) => [key, value]),
    [
      ["trainer.policy.fsdp_config.fsdp_size", -1],
      ["generator.model_name", "/models/m"],
      ["generator.max_input_length", "700"],
    ],
  );
});

test("words are split as a shell splits them", () => {
  const script = `A=1 B="two words"\n: "\${C:=$A}"\ncmd '$A' "$B" x\${C}y "it's" a#b \${D:-"d e"} $((A + 2*3)) # the end\n`;
  assert.deepEqual(readScript(script, {}).words, [
    ":",
    "1",
    "cmd",
    "$A",
    "two words",
    "x1y",
    "it's",
    "a#b",
    "d e",
    "7",
  ]);
  assert.deepEqual(readScript("echo $NOPE", {}), { words: ["echo", "$NOPE"], unknown: ["NOPE"] });
});

test("servers that run already are taken over, those that SkyRL would start are not", () => {
  const command = (locally: boolean) =>
    `python -m main generator.backend=vllm generator.run_engines_locally=${locally} generator.remote_inference_engine_urls="['h:1']"`;
  const { generator } = resolveConfig(importSkyRl(command(false), {}).config);
  assert.deepEqual([generator.backend, generator.remote_inference_engine_urls], ["vllm", ["h:1"]]);
  assert.equal(resolveConfig(importSkyRl(command(true), {}).config).generator.backend, "native");
});
