import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadYaml, mergeConfig, problemsOf, resolveConfig } from "./load.js";

const folder = mkdtempSync(join(tmpdir(), "config-"));
after(() => rmSync(folder, { recursive: true }));

function refusal(yaml: string): string {
  const file = join(folder, "actors.yaml");
  writeFileSync(file, yaml);
  try {
    resolveConfig(loadYaml(file), { file });
  } catch (error) {
    return (error as { rawMessage: string }).rawMessage.replaceAll(`${folder}/`, "");
  }
  return "accepted";
}

test("an empty document is the defaults", () => {
  const config = resolveConfig(null);
  assert.equal(config.trainer.max_staleness_steps, 1);
  assert.equal(config.trainer.algorithm.eps_clip_high, 0.28);
  assert.equal(config.generator.n_samples_per_prompt, 8);
  assert.deepEqual(config.trainer.policy.optimizer_config.adam_betas, [0.9, 0.999]);
});

test("a resolved configuration resolves to itself", () => {
  const config = resolveConfig({ trainer: { policy: { optimizer_config: { lr: 0.5 } } } });
  assert.deepEqual(resolveConfig(structuredClone(config)), config);
  assert.equal(config.trainer.policy.optimizer_config.lr, 0.5);
});

test("what the README writes for the runtime is left to it, and what it does not say is not made up", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const blocks = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => yaml!);
  assert.ok(blocks.some((yaml) => /autoscale/.test(yaml)) && blocks.some((yaml) => /spares/.test(yaml)));
  for (const yaml of blocks) assert.equal(refusal(yaml), "accepted");
  assert.deepEqual(resolveConfig(null).cluster, { nodes: 1 });
});

test("an unknown key is refused with the nearest one and its line", () => {
  assert.equal(
    refusal("trainer:\n  mode: sync\n  algorithm:\n    eps_clip_lo: 0.1\n"),
    "actors.yaml:4: unknown key trainer.algorithm.eps_clip_lo: did you mean eps_clip_low?",
  );
  assert.equal(refusal("banana: 1\n"), "actors.yaml:1: unknown key banana");
});

test("a wrong type or value says what was expected and what was given", () => {
  assert.equal(
    refusal("generator:\n  max_turns: many\n"),
    'actors.yaml:2: generator.max_turns must be a number, not the text "many"',
  );
  assert.equal(
    refusal("trainer: {mode: fast}\n"),
    'actors.yaml:1: trainer.mode must be one of async, one_step_off, sync, not the text "fast"',
  );
  assert.equal(refusal("cluster:\n  nodes: 0\n"), "actors.yaml:2: cluster.nodes must be at least 1, not 0");
  assert.equal(refusal("trainer:\n  seed: 1.5\n"), "actors.yaml:2: trainer.seed must be an integer, not 1.5");
  assert.equal(refusal("trainer: 3\n"), "actors.yaml:1: trainer must be a section, not 3");
  assert.equal(
    refusal("trainer:\n  algorithm:\n    advantage_estimator: ppo\n"),
    'actors.yaml:3: trainer.algorithm.advantage_estimator must be one of grpo, dr_grpo, rloo, maxrl, reinforce++, turn_level, gae, none, or the path of a module, not the text "ppo"',
  );
  assert.equal(
    refusal("trainer:\n  train_batch_size: 10\n  policy_mini_batch_size: 4\n"),
    "actors.yaml:3: trainer.policy_mini_batch_size: 4 does not divide trainer.train_batch_size, which is 10",
  );
  assert.match(refusal("trainer: {mode: async, spare_prompts: 2}\n"), /spare_prompts: 2 is for modes that wait for/);
});

test("off-policy corrections that cannot work are refused", () => {
  const with_ = (keys: string, old = "learner") =>
    refusal(`trainer:\n  algorithm: {old_logprobs: ${old}, off_policy_correction: {${keys}}}\n`);
  assert.match(
    with_("tis_ratio_type: token", "rollout"),
    /tis_ratio_type needs trainer.algorithm.old_logprobs: learner/,
  );
  assert.match(with_("outlier_token_is_threshold_high: 100", "rollout"), /threshold_high needs .*learner/);
  assert.match(with_("mask_type: icepop, tis_ratio_type: token"), /weighs by the ratio already/);
  assert.match(with_("geo_mask_low: 2"), /geo_mask_low: 2 is above geo_mask_high, which is 1.002/);
  assert.match(with_("mask_typ: mis"), /unknown key .*mask_typ: did you mean mask_type\?/);
  assert.equal(with_("mask_type: mis, tis_ratio_type: token, sequence_mask_metric: geometric"), "accepted");
});

test("algorithms that lack something they need are refused", () => {
  const with_ = (keys: string) => refusal(`trainer:\n  algorithm: {${keys}}\n`);
  assert.equal(with_("use_kl_loss: true, kl_ctrl: {type: adaptive}"), "accepted");
  assert.match(with_("policy_loss_type: decoupled_ppo"), /needs old_logprobs: learner or loglinear/);
  assert.match(with_("old_logprobs: loglinear"), /for policy_loss_type: decoupled_ppo, not for regular/);
  assert.match(
    with_("policy_loss_type: importance_sampling, old_logprobs: learner, off_policy_correction: {mask_type: icepop}"),
    /importance_sampling weighs by that ratio already/,
  );
  assert.match(with_("policy_loss_type: gsop"), /must be one of regular, dual_clip, gspo, .*or the path of a module/);
  assert.equal(with_("policy_loss_type: decoupled_ppo, old_logprobs: loglinear"), "accepted");
  assert.equal(with_("policy_loss_type: ./my-loss.js"), "accepted");
  assert.match(with_("use_kl_loss: true, use_kl_in_reward: true"), /never both/);
  assert.match(with_("overlong_buffer: {len: 8, max_len: 4}"), /len: 8 needs a max_len of at least as much, not 4/);
  assert.match(
    refusal("trainer: {algorithm: {dynamic_sampling: {type: filter}}}\ngenerator: {n_samples_per_prompt: 1}\n"),
    /n_samples_per_prompt must be at least 2/,
  );
  assert.equal(with_("advantage_estimator: gae, lambd: 0.95"), "accepted");
  assert.equal(with_("use_kl_in_reward: true, kl_ctrl: {type: adaptive}"), "accepted");
});

test("a backend of sandboxes that lacks what it needs is refused", () => {
  const with_ = (text: string) => refusal(`environment: {${text}}`);
  assert.match(with_("sandbox_backend: docker"), /docker needs environment.sandbox_image/);
  assert.match(with_("sandbox_backend: bubblewrap, sandbox_image: x"), /x needs sandbox_backend: docker or podman/);
  assert.match(with_("sandbox_backend: remote, sandbox_server: {url: 'http://h:1'}"), /remote needs .*api_key_file/);
  assert.match(with_("sandbox_server: {url: 'ftp://h'}"), /sandbox_server.url/);
  assert.equal(with_("sandbox_backend: podman, sandbox_image: x, sandbox_pull: missing"), "accepted");
});

test("adapters are of projections that there are", () => {
  const with_ = (targets: string) =>
    refusal(`trainer: {policy: {model: {lora: {rank: 8, target_modules: ${targets}}}}}`);
  assert.deepEqual([with_("all-linear"), with_("[q_proj, down_proj]")], ["accepted", "accepted"]);
  assert.match(with_("[lm_head]"), /trainer.policy.model.lora.target_modules must be/);
});

test("broken YAML names its line", () => {
  assert.match(refusal("trainer:\n  mode: [sync\n"), /^actors.yaml:\d+: /);
  assert.throws(() => loadYaml(join(folder, "absent.yaml")), /cannot read .*absent.yaml/);
});

test("all that is wrong is found at once, each with its key and line", () => {
  const file = join(folder, "wrong.yaml");
  writeFileSync(file, "trainer:\n  sed: 1\n  mode: fast\ngenerator:\n  max_num_seqs: 0\n  top: 1\n");
  assert.deepEqual(
    problemsOf(loadYaml(file), { file }).map(({ key, at }) => [key, at?.replace(`${folder}/`, "")]),
    [
      ["trainer.mode", "wrong.yaml:3"],
      ["trainer.sed", "wrong.yaml:2"],
      ["generator.max_num_seqs", "wrong.yaml:5"],
      ["generator.top", "wrong.yaml:6"],
    ],
  );
  const together = { trainer: { learner_ranks: 300, policy: { model: { kv_heads: 3, head_dim: 15 } } } };
  assert.deepEqual(
    problemsOf(together).map(({ key, at }) => [key, at]),
    ["trainer.learner_ranks", "trainer.policy.model.kv_heads", "trainer.policy.model.head_dim"].map((key) => [
      key,
      null,
    ]),
  );
});

test("overrides win section by section", () => {
  assert.deepEqual(mergeConfig({ a: { b: 1, c: [1, 2] }, d: 3 }, { a: { c: [9] } }), { a: { b: 1, c: [9] }, d: 3 });
});
