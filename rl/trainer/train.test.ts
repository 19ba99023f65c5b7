import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parse } from "yaml";
import { localSystem } from "../../runtime/index.js";
import { mergeConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { readTrajectories } from "../run/read.js";
import { listDropped } from "../run/show.js";
import { echoModule } from "../testing/echo.js";
import { evaluateCheckpoint } from "./evaluate-checkpoint.js";
import type { StepMetrics } from "./report.js";
import { type TrainOptions, train } from "./train.js";

const runsDir = mkdtempSync(join(tmpdir(), "train-"));
after(() => rmSync(runsDir, { recursive: true }));

const small: ConfigInput = {
  environment: { env_class: `${echoModule}#echo`, sandboxes: 4, sandbox_backend: "process" },
  trainer: {
    mode: "sync",
    seed: 3,
    max_training_steps: 4,
    train_batch_size: 4,
    policy_mini_batch_size: 2,
    policy: {
      model: { dim: 16, layers: 1, heads: 2, kv_heads: 2, head_dim: 8, ffn_dim: 32, max_seq_len: 8 },
      optimizer_config: { lr: 0.01 },
    },
    warm_start: { steps: 20, batch_size: 16, optimizer_config: { lr: 0.01 } },
  },
  generator: { n_samples_per_prompt: 4 },
};

async function run(overrides: ConfigInput = {}, options: Partial<TrainOptions> = {}) {
  const system = await localSystem();
  try {
    return await train({ system, config: mergeConfig(small, overrides), name: "test", runsDir, ...options });
  } finally {
    await system.close();
  }
}

/** Metrics without what depends on the clock. */
function numbers(folder: string): unknown[] {
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => ({ ...(JSON.parse(line) as StepMetrics), seconds: 0, stages: 0, tokensPerSecond: 0 }));
}

test("the same seed in sync mode gives the same numbers, tokens and weights; another seed does not", async () => {
  const [a, b] = [await run(), await run()];
  assert.deepEqual(numbers(a.folder), numbers(b.folder));
  const tokens = (folder: string) => [...readTrajectories(folder)].map((t) => [t.tokens, t.logprobs, t.versions]);
  assert.deepEqual(tokens(a.folder), tokens(b.folder));
  const weights = (folder: string) => readFileSync(join(folder, "checkpoint", "model.safetensors"));
  assert.ok(weights(a.folder).equals(weights(b.folder)));
  assert.deepEqual(a.heldOut, b.heldOut);
  const c = await run({ trainer: { seed: 4 } });
  assert.notDeepEqual(tokens(a.folder), tokens(c.folder));
});

test("a run leaves its configuration, a line a step, its trajectories, a checkpoint and a summary, and nothing else", async () => {
  const steps: StepMetrics[] = [];
  const result = await run({ trainer: { mode: "async", max_training_steps: 6 } }, { onStep: (m) => steps.push(m) });
  assert.deepEqual(readdirSync(result.folder).sort(), [
    ...["checkpoint", "config.yaml", "episodes", "evaluations.jsonl", "ledger.log"],
    ...["metrics.jsonl", "states", "summary.json", "trajectories"],
  ]);
  assert.equal(numbers(result.folder).length, 6);
  assert.equal([...readTrajectories(result.folder)].length, 6 * 16);
  const summary = JSON.parse(readFileSync(join(result.folder, "summary.json"), "utf8"));
  assert.deepEqual(Object.keys(summary).sort(), [
    ...["episodes", "failedEpisodes", "heldOut", "seed", "steps", "tokens", "wallSeconds"],
  ]);
  assert.equal(summary.episodes, 96);
  for (const { staleness } of steps) assert.ok(staleness.max <= 1);
  assert.ok(steps.every((m) => m.mismatch.max < 10));
});

test("in sync mode the learner's log-probs of what the engine sampled agree with the engine's", async () => {
  const steps: StepMetrics[] = [];
  await run(
    { trainer: { algorithm: { old_logprobs: "learner", off_policy_correction: { tis_ratio_type: "token" } } } },
    { onStep: (m) => steps.push(m) },
  );
  assert.ok(steps.every((m) => m.mismatch.max < 1e-4 && m.staleness.max === 0));
});

test("reinforcement alone teaches what the demonstrations do not", async () => {
  const { heldOut } = await run({
    trainer: { max_training_steps: 60, train_batch_size: 8, policy_mini_batch_size: 8 },
  });
  assert.ok(heldOut.before! <= 0.5, `${heldOut.before} before`);
  assert.ok(heldOut.after! === 1, `${heldOut.after} after`);
});

const variants: Record<string, NonNullable<ConfigInput["trainer"]>["algorithm"]> = {
  "reinforce++ over prompts": { advantage_estimator: "reinforce++", loss_reduction: "prompt_mean" },
  "turn_level over sequences": { advantage_estimator: "turn_level", loss_reduction: "sequence_mean" },
  "maxrl with masks and weights": {
    advantage_estimator: "maxrl",
    old_logprobs: "learner",
    off_policy_correction: {
      ...{ outlier_token_is_threshold_low: 1e-4, outlier_token_is_threshold_high: 100, mask_type: "mis" },
      ...{ tis_ratio_type: "token", sequence_mask_metric: "geometric" },
    },
  },
  "only prompts that teach": { dynamic_sampling: { type: "filter" } },
  "a price on leaving the reference": {
    ...{ use_kl_in_reward: true, kl_loss_coef: 0.5, kl_ctrl: { type: "adaptive", kl_target: 0.01, horizon: 32 } },
    overlong_buffer: { len: 1, max_len: 2 },
  },
  "that price in the loss, which is one's own": {
    ...{ use_kl_loss: true, kl_loss_coef: 0.5 },
    policy_loss_type: new URL("../testing/clipped-loss.js", import.meta.url).href,
  },
  "a proximal policy between the versions": { policy_loss_type: "decoupled_ppo", old_logprobs: "loglinear" },
  "a critic": { advantage_estimator: "gae", lambd: 0.95, policy_loss_type: "dual_clip" },
};
test("each kind of algorithm trains", async () => {
  for (const [name, algorithm] of Object.entries(variants)) {
    const steps: StepMetrics[] = [];
    const { heldOut, checkpoint } = await run(
      { trainer: { algorithm, max_training_steps: 3, warm_start: { steps: 5 } } },
      { onStep: (m) => steps.push(m) },
    );
    assert.ok(heldOut.after !== null && steps.length === 3, name);
    for (const m of steps) {
      assert.ok(m.gradNorm > 0 && m.skippedUpdates === 0 && Number.isFinite(m.loss), name);
      assert.deepEqual([m.corrections.kept, Math.round(m.corrections.effective * 1e3) / 1e3], [1, 1], name); // on-policy
    }
    if (algorithm?.dynamic_sampling) assert.ok(steps.every((m) => m.episodes === 16 && m.groupsWithoutSpread === 0));
    const critical = algorithm?.advantage_estimator === "gae";
    assert.equal(existsSync(join(checkpoint!, "critic", "model.safetensors")), critical);
    if (critical) {
      const learned = steps.map((m) => m.critic!);
      assert.equal(learned[0]!.explainedVariance, 0); // it begins with 0 everywhere
      assert.ok(learned[2]!.explainedVariance !== 0 && learned.some(({ loss, gradNorm }) => loss > 0 && gradNorm > 0));
    } else assert.ok(steps.every((m) => m.critic === null));
    if (algorithm?.use_kl_loss) assert.ok(steps.every(({ reference }) => reference!.kl > 0 && reference!.beta === 0.5));
    if (!algorithm?.use_kl_in_reward) continue;
    assert.ok(Math.abs(steps[0]!.reference!.kl) < 1e-4 && steps[0]!.reference!.beta === 0.5);
    assert.ok(steps[2]!.reference!.kl > 0 && steps[1]!.reference!.beta < 0.5);
  }
});

test("rows are trained and evaluated on by data source, and a checkpoint evaluated by itself scores as in its run", async () => {
  const row = (word: number, source: string) =>
    JSON.stringify({
      ...{ data_source: source, env_class: "echo", prompt: [{ role: "user", content: `say ${word}` }] },
      reward_spec: { method: "rule", ground_truth: String(word) },
    });
  writeFileSync(join(runsDir, "train.jsonl"), [0, 1, 2].map((word) => row(word, "low")).join("\n"));
  writeFileSync(join(runsDir, "val.jsonl"), [row(0, "low"), row(2, "low"), row(3, "high")].join("\n"));
  const config: ConfigInput = mergeConfig(small, {
    data: { train_data: ["./train.jsonl"], val_data: ["val.jsonl"] },
    trainer: { epochs: 4 },
    generator: { eval_n_samples_per_prompt: 3, eval_sampling_params: { temperature: 1 } },
  });
  const lines: string[] = [];
  const { folder, steps, checkpoint, heldOut } = await run(config, {
    baseDir: runsDir,
    line: (text) => lines.push(text),
  });
  assert.equal(steps, 3); // 4 epochs of 3 rows, 4 a step
  const words = [...readTrajectories(folder)].map(({ task }) => (JSON.parse(task) as { word: string }).word);
  assert.deepEqual(
    ["0", "1", "2"].map((word) => words.filter((each) => each === word).length),
    [16, 16, 16],
  );
  assert.match(lines.join("\n"), /3 of 3 rows \(low 3\)[\s\S]*2 of 3 rows of data.val_data are in data.train_data too/);
  const [before, after] = readFileSync(join(folder, "evaluations.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([before.tasks, before.samples, Object.keys(after.sources)], [3, 3, ["low", "high"]]);
  assert.deepEqual(Object.keys(after.passAt), ["1", "2", "3"]);
  await using system = await localSystem();
  const again = await evaluateCheckpoint({
    ...{ system, baseDir: "/", signal: new AbortController().signal, line: () => {} },
    config: mergeConfig(parse(readFileSync(join(folder, "config.yaml"), "utf8")) as ConfigInput, {
      trainer: { policy: { model: { path: checkpoint } } },
    }),
  });
  assert.equal(again.success.mean, heldOut.after);
  assert.deepEqual(JSON.parse(JSON.stringify(again.sources)), after.sources);
});

test("each mode trains with dynamic sampling and spare prompts, tells each step, and keeps to its staleness", async () => {
  const modes: [NonNullable<ConfigInput["trainer"]>, bound: number][] = [
    [{ mode: "sync", spare_prompts: 1 }, 0],
    [{ mode: "one_step_off", spare_prompts: 1 }, 1],
    [{ mode: "async", max_staleness_steps: 2, stale_tokens: "mask" }, 2],
  ];
  const algorithm = { dynamic_sampling: { type: "filter" } } as const;
  for (const [mode, bound] of modes) {
    const steps: StepMetrics[] = [];
    const { folder } = await run(
      { trainer: { ...mode, algorithm, max_training_steps: 4, warm_start: { steps: 5 } } },
      { onStep: (m) => steps.push(m) },
    );
    assert.deepEqual(
      steps.map(({ step, episodes, groupsWithoutSpread }) => [step, episodes, groupsWithoutSpread]),
      [0, 1, 2, 3].map((step) => [step, 16, 0]),
    );
    assert.ok(steps.every(({ staleness }) => staleness.max <= bound));
    assert.ok(steps.every(({ seconds }) => seconds.wait > 0 && seconds.idle > 0 && seconds.idle < seconds.total * 2));
    const dropped = listDropped(folder);
    const groups = steps.reduce((sum, m) => sum + m.droppedGroups + m.cutGroups, 0);
    assert.equal(dropped.length, groups * 4, "each sample of a group that is left out is listed");
    assert.ok(mode.spare_prompts === undefined || groups >= 4);
  }
});

test("an interrupted run keeps its summary and a checkpoint of what it learned", async () => {
  const stop = new AbortController();
  const result = await run(
    { trainer: { max_training_steps: 1000 } },
    { signal: stop.signal, onStep: (m) => m.step === 2 && stop.abort() },
  );
  assert.equal(result.interrupted, true);
  assert.equal(result.heldOut.after, null);
  assert.ok(result.steps >= 3 && result.steps < 1000);
  assert.ok(existsSync(join(result.checkpoint!, "model.safetensors")));
});

test("a checkpoint can be trained on, by adapters too, and one that cannot be read is named", async () => {
  const first = await run({ trainer: { max_training_steps: 1 } });
  const warm_start = { steps: 0 };
  const again = await run({
    trainer: { policy: { model: { path: first.checkpoint, lora: { rank: 2 } } }, warm_start, max_training_steps: 1 },
  });
  assert.ok(existsSync(join(again.checkpoint!, "adapter", "adapter_model.safetensors")));
  assert.equal(again.heldOut.before, first.heldOut.after);
  await assert.rejects(
    run({ trainer: { policy: { model: { path: join(runsDir, "nothing") } } } }),
    /nothing is no checkpoint: config\.json is not there/,
  );
});

test("a policy learns from a teacher's view of what it says itself, without any reward", async () => {
  const warm_start = { steps: 0 };
  const teacher = (await run({ trainer: { max_training_steps: 0 } })).checkpoint;
  const steps: StepMetrics[] = [];
  const algorithm = { advantage_estimator: "none", distillation: { teacher }, entropy_loss_coef: 0 };
  await run({ trainer: { algorithm, warm_start, max_training_steps: 30 } }, { onStep: (m) => steps.push(m) });
  const gap = (from: number) => steps.slice(from, from + 5).reduce((sum, m) => sum + m.teacher!.kl, 0) / 5;
  assert.ok(gap(0) > 0.3 && gap(25) < gap(0) / 4, `${gap(0)} before, ${gap(25)} after`);
});

test("nothing of a run stays in shared memory", () => {
  const ours = `actors-${process.pid}-`; // others may test on this machine
  assert.deepEqual(
    readdirSync("/dev/shm").filter((name) => name.startsWith(ours)),
    [],
  );
});
