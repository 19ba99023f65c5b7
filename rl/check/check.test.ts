import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ModelConfig } from "../../native/types.js";
import { resolveConfig } from "../config/load.js";
import { shapeOf } from "../trainer/shape.js";
import { check } from "./check.js";
import { activeParametersOf, estimateMemory, parametersOf } from "./memory.js";
import { renderCheck } from "./render.js";

const cwd = mkdtempSync(join(tmpdir(), "check-"));
after(() => rmSync(cwd, { recursive: true }));

function write(yaml: string): string {
  writeFileSync(join(cwd, "run.yaml"), yaml);
  return "run.yaml";
}

const problems = async (yaml: string, ...settings: string[]) => {
  const { problems } = await check({ file: write(yaml), settings, cwd, time: false });
  return problems.map(({ key, at, message }) => `${at} ${key} | ${message}`);
};

test("all that is wrong outside of the file is told at once, by key and line", async () => {
  const yaml = [
    "recipe: train",
    "data: {train_data: [absent.parquet]}",
    "environment: {env_class: arithmetic}",
    "trainer:",
    "  algorithm: {loss_reduction: ./absent.js}",
    "  policy: {model: {path: absent}}",
  ].join("\n");
  const found = await problems(yaml);
  assert.equal(found.length, 3);
  assert.match(
    found[0]!,
    /^run.yaml:6 trainer.policy.model.path \| .*absent is no checkpoint: config.json is not there/,
  );
  assert.match(found[1]!, /^run.yaml:5 trainer.algorithm.loss_reduction \| .*absent.js/);
  assert.match(found[2]!, /^run.yaml:2 data.train_data \| data.train_data: there is no .*absent.parquet/);
  assert.match(
    (await problems(yaml, "environment.env_class=aritmetic")).join("\n"),
    /run.yaml:3 .* did you mean arithmetic\?/,
  );
});

test("a supervised training is planned from its rows, and what they lack is told by file and line", async () => {
  const rows = Array.from({ length: 6 }, (_, i) => JSON.stringify({ prompt: `count ${i}`, response: String(i) }));
  writeFileSync(join(cwd, "rows.jsonl"), rows.join("\n"));
  const yaml =
    "recipe: sft\nenvironment: {env_class: arithmetic}\ntrainer: {epochs: 2, train_batch_size: 3}\ndata: {train_data: [rows.jsonl]}\n";
  const found = await check({ file: write(yaml), settings: [], cwd, time: false });
  assert.deepEqual(found.problems, []);
  const { rows: count, tokens, config } = found.sft!;
  assert.deepEqual([count, tokens.mean, tokens.learned, config.trainer.max_training_steps], [6, 9, 2, 4]);
  assert.match(renderCheck(found).join("\n"), /row +9 tokens, 2 of them learned/);
  assert.match((await problems(yaml, "data.train_data=[none.jsonl]"))[0]!, /^run.yaml:4 data.*none.jsonl/);
});

test("draws that differ from what the learner reckons are warned of, unless it is asked for the old log-probabilities", async () => {
  const warned = async (...settings: string[]) => {
    const { warnings } = await check({ file: write("recipe: train\n"), settings, cwd, time: false });
    return warnings.some((text) => /old_logprobs to learner/.test(text));
  };
  assert.equal(await warned(), false);
  for (const setting of [
    "sampling_params.temperature=0.5",
    "sampling_params.top_p=0.95",
    "temperature_schedule.end=0.7",
  ])
    assert.equal(await warned(`generator.${setting}`), true, setting);
  assert.equal(
    await warned("generator.sampling_params.temperature=0.5", "trainer.algorithm.old_logprobs=learner"),
    false,
  );
});

test("what the runtime reads, what the model cannot hold and what the machine has not is told too", async () => {
  assert.deepEqual(await problems("recipe: train\ncluster: {nodes: 1, spares: -1}\n"), [
    "run.yaml:2 cluster.spares | cluster.spares must be a whole number of at least 0, not -1",
  ]);
  const tight = "recipe: train\nenvironment: {env_class: pick-and-place}\n";
  assert.match(
    (await problems(tight))[0]!,
    /no episode of pick-and-place by its own expert fits: they take \d{3} tokens and more, and the model holds 256/,
  );
  const short = "{max_seq_len: 128}";
  assert.match(
    (await problems(tight, `trainer.policy.model=${short}`))[0]!,
    /no action fits: a prompt .* \d{3} tokens, an action 48/,
  );
  const huge = "{max_seq_len: 4096, dim: 65536, layers: 99, ffn_dim: 262144}";
  assert.match(
    (await problems(tight, `trainer.policy.model=${huge}`)).join(),
    /one process may take [\d.]+ GB, and this machine has/,
  );
  assert.match((await problems("recipe: trian\n"))[0]!, /recipe \| .*did you mean train\?/);
});

test("a good file gives its plan, and measures how long it takes", async () => {
  const yaml = "recipe: train\nenvironment: {env_class: arithmetic}\ntrainer: {policy: {model: {max_seq_len: 512}}}\n";
  const checked = await check({ file: write(yaml), settings: ["trainer.max_training_steps=7"], cwd, time: true });
  assert.deepEqual(checked.problems, []);
  const { plan } = checked;
  assert.equal(plan!.config.trainer.max_training_steps, 7);
  assert.ok(plan!.episode.from === "demonstrations" && plan!.episode.sampled > 10);
  assert.ok(plan!.time!.environment > 0 && plan!.time!.generation > 0);
  assert.equal(plan!.time!.total, 7 * plan!.time!.step);
  assert.match(
    renderCheck(checked).join("\n"),
    /24 prompts x 8 samples = 192 episodes.*\n[\s\S]*nothing stands in the way/,
  );
});

test("the parameters of a checkpoint are counted as its file holds them, for every family", async () => {
  const goldens = fileURLToPath(new URL("../../../native/test/goldens", import.meta.url));
  const folders = readdirSync(goldens).filter((name) => existsSync(join(goldens, name, "model.safetensors")));
  assert.ok(folders.length >= 6);
  for (const name of folders) {
    const file = readFileSync(join(goldens, name, "model.safetensors"));
    const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE(0))).toString()) as Record<
      string,
      { shape?: number[] }
    >;
    const tied = JSON.parse(readFileSync(join(goldens, name, "config.json"), "utf8")).tie_word_embeddings === true;
    const held = Object.entries(header).filter(
      ([key]) => key !== "__metadata__" && !(tied && key === "lm_head.weight"),
    );
    const count = held.reduce((sum, [, { shape }]) => sum + shape!.reduce((a, b) => a * b, 1), 0);
    const shape = await shapeOf(resolveConfig(null), 0, join(goldens, name));
    assert.equal(parametersOf(shape), count, name);
    assert.equal(activeParametersOf(shape) < count, name.includes("moe"), name);
  }
});

test("the command prints JSON and ends with 2 when something is wrong", () => {
  const main = fileURLToPath(new URL("../main.js", import.meta.url));
  const file = write("trainer: {mode: fast}\n");
  const { status, stdout } = spawnSync(process.execPath, [main, "check", "-f", file, "--no-time", "--json"], {
    cwd,
    encoding: "utf8",
  });
  assert.equal(status, 2);
  assert.deepEqual((JSON.parse(stdout) as { problems: object[] }).problems, [
    {
      key: "trainer.mode",
      at: "run.yaml:1",
      message: 'trainer.mode must be one of async, one_step_off, sync, not the text "fast"',
    },
  ]);
});

test("the learner's memory counts a rank's share of the moments, and what gradient checkpointing saves", () => {
  const shape: ModelConfig = {
    ...{ vocabSize: 16_384, dim: 512, layers: 12, heads: 8, kvHeads: 8, headDim: 64, ffnDim: 1408 },
    ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 512 },
  };
  const of = (trainer: object) => estimateMemory(resolveConfig({ trainer }), shape).learner;
  const [kept, again] = [of({ learner_ranks: 1 }), of({ learner_ranks: 4, gradient_checkpointing: true })];
  assert.equal(again["moments"], kept["moments"]! / 4);
  const saved = kept["activations"]! - again["activations"]!;
  assert.ok(Math.abs(saved / 242e6 - 1) < 0.02, `${saved} bytes, measured were 242 MB`);
});
