import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { localSystem } from "../../runtime/index.js";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { arithmetic } from "../environments/arithmetic/index.js";
import type { Demonstration, EnvironmentDef } from "../environments/environment.js";
import { quickstart } from "../environments/quickstart/index.js";
import { demonstrated, type Example } from "../learner/example.js";
import { trainingJob } from "../recipes/job.js";
import { echoModule } from "../testing/echo.js";
import { type ChatMessage, HuggingFaceTokenizer } from "../tokenizers/hugging-face.js";
import { speakAs } from "../tokenizers/speech.js";
import { sft } from "./job.js";
import { chatExample, exampleReader } from "./rows.js";
import { fineTune, type SftMetrics, type SftOptions } from "./run.js";

const goldens = fileURLToPath(new URL("../../../rl/tokenizers/goldens/qwen-style", import.meta.url));
const tokenizer = HuggingFaceTokenizer.load(goldens);
const runsDir = mkdtempSync(join(tmpdir(), "sft-"));
after(() => rmSync(runsDir, { recursive: true }));

/** What is learned, one text a stretch; ends shown. */
function learned({ tokens_T, lossMask_T }: Example): string[] {
  const found: string[] = [];
  for (let t = 0; t < tokens_T.length; t++) {
    if (!lossMask_T[t]) continue;
    const from = t;
    while (lossMask_T[t]) t++;
    found.push(decode(tokens_T.slice(from, t)));
  }
  return found;
}

const decode = (ids: Int32Array) =>
  tokenizer.decode(ids.filter((id) => id !== tokenizer.eos)) + (ids.at(-1) === tokenizer.eos ? "|" : "");

test("of a conversation just what the assistant says is learned, its ends and its tool calls included", () => {
  const call = { function: { name: "add", arguments: { a: 1 } } };
  const messages: ChatMessage[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "One and one?" },
    { role: "assistant", content: "Let me see.", tool_calls: [call] },
    { role: "tool", content: "2" },
    { role: "assistant", content: "Two." },
    { role: "user", content: "Thanks <|im_end|>" },
  ];
  const rendered = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>';
  const example = chatExample(tokenizer, messages, { tools: [{ name: "add" }], variables: {} });
  assert.deepEqual(learned(example), [`Let me see.${rendered}|`, "Two.|"]);
  const off = { variables: { enable_thinking: false } };
  assert.deepEqual(learned(chatExample(tokenizer, messages, off)), [`Let me see.${rendered}|`, "Two.|"]);
  const silent = messages.slice(0, 2);
  assert.throws(() => chatExample(tokenizer, silent, off), /the assistant says nothing/);
  assert.throws(() => chatExample(tokenizer, messages.slice(2), off), /the assistant speaks first/);
  const quoting = [...silent, { role: "assistant", content: "<|im_end|> ends a turn" }];
  assert.throws(() => chatExample(tokenizer, quoting, off), /messages.2: it says <\|im_end\|>, which ends a turn/);
});

test("a row that the environment's tokens cannot say, or in which nothing is said, is malformed", () => {
  const read = exampleReader(resolveConfig({}), quickstart);
  const wrong = (row: unknown) => {
    const found = read(row);
    return "wrong" in found ? found.wrong : undefined;
  };
  const { prompt, turns } = quickstart.demonstration(quickstart.trainTask(1, 0), () => 0.5) as Demonstration;
  assert.equal(wrong({ prompt, response: turns[0]!.action }), undefined);
  assert.match(wrong({ prompt: "Capital of France?", response: "Paris" })!, /tokens cannot say "Capital of France\?"/);
  assert.match(wrong({ messages: [{ role: "user", content: "hi" }] })!, /the assistant says nothing/);
});

test("a conversation is learned in the tokens in which it would be had", async () => {
  const def = await speakAs(arithmetic as EnvironmentDef, { folder: goldens, variables: {} });
  const turns = [
    { action: "calculate 1 + 1", observation: "2" },
    { action: "answer #### 2", observation: "" },
  ];
  const had = demonstrated(def, { prompt: "What is 1 + 1?", turns });
  const messages = [
    { role: "user", content: "What is 1 + 1?" },
    { role: "assistant", content: "calculate 1 + 1" },
    { role: "tool", content: "2" },
    { role: "assistant", content: "answer #### 2" },
  ];
  assert.deepEqual(chatExample(tokenizer, messages, { tools: [...arithmetic.tools!], variables: {} }), had);
});

const words = ["0", "1", "2", "3"];
const pairs = words.map((word) => JSON.stringify({ prompt: `say ${word}`, response: word }));
writeFileSync(join(runsDir, "pairs.jsonl"), pairs.join("\n"));
const small: ConfigInput = {
  recipe: "sft",
  environment: { env_class: `${echoModule}#echo` },
  data: { train_data: ["pairs.jsonl"], val_data: ["pairs.jsonl"] },
  trainer: {
    ...{ epochs: 24, train_batch_size: 4, ckpt_interval: 5, learner_ranks: 2, max_tokens_per_microbatch: 8 },
    policy: {
      model: { dim: 16, layers: 1, heads: 2, kv_heads: 2, head_dim: 8, ffn_dim: 32, max_seq_len: 8 },
      optimizer_config: { lr: 0.02, num_warmup_steps: 4, scheduler: "cosine", min_lr_ratio: 0.1 },
    },
  },
};

async function run(overrides: ConfigInput = {}, options: Partial<SftOptions> = {}) {
  await using system = await localSystem();
  return await fineTune({
    system,
    config: mergeConfig(small, overrides),
    name: "t",
    runsDir,
    baseDir: runsDir,
    ...options,
  });
}

const weights = (folder: string) => readFileSync(join(folder, "checkpoint", "model.safetensors"));

test("a model learns rows by heart over epochs, and a run that was interrupted comes out with the same weights", async () => {
  const steps: SftMetrics[] = [];
  const whole = await run({}, { onStep: (m) => steps.push(m) });
  assert.equal(whole.steps, 24);
  assert.ok(whole.heldOut.before! > 1 && whole.heldOut.after! < 0.05, JSON.stringify(whole.heldOut));
  assert.deepEqual(
    [steps[0]!.lr, steps[3]!.lr].map((lr) => lr.toFixed(4)),
    ["0.0050", "0.0200"],
  );
  assert.ok(steps[23]!.lr < 0.003 && steps[23]!.lr > 0.002);
  assert.deepEqual([steps[23]!.epoch, steps[23]!.tokens, steps[23]!.totalTokens], [24, 8, 16]);

  const stop = new AbortController();
  const cut = await run({}, { signal: stop.signal, onStep: ({ step }) => step === 12 && stop.abort() });
  assert.deepEqual([cut.interrupted, cut.checkpoint], [true, null]);
  const again = await run({}, { config: {}, resume: cut.folder });
  assert.deepEqual([again.interrupted, again.steps, again.heldOut], [false, 24, whole.heldOut]);
  assert.deepEqual(weights(again.folder), weights(whole.folder));
  const lines = readFileSync(join(again.folder, "metrics.jsonl"), "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as SftMetrics).step),
    steps.map(({ step }) => step),
  );
  const input = { config: {}, configFile: null, seed: null, resume: again.folder, runsDir };
  const recipe = trainingJob({ name: "train", describe: "", settings: {} });
  await assert.rejects(async () => recipe.check!(input), /was begun by `actors sft`/);
  await sft.check!(input);
});

test("without rows the environment's demonstrations are learned", async () => {
  const none = { data: { train_data: [], val_data: [] }, trainer: { epochs: null, max_training_steps: 3 } };
  const { checkpoint, heldOut } = await run(none);
  assert.ok(existsSync(join(checkpoint!, "model.safetensors")));
  assert.equal(heldOut.after, null);
  const tight = mergeConfig(none, { trainer: { policy: { model: { max_seq_len: 2 } } } });
  await assert.rejects(run(tight), /model: a demonstration of echo takes \d tokens, and the model holds 2/);
});

test("rows that cannot be learned are told before anything starts", async () => {
  const rows = [
    '{"prompt": "say 1"}',
    '{"messages": [{"role": "system", "content": "say"}, {"role": "user", "content": "1"}, {"role": "assistant", "content": "1"}]}',
  ];
  writeFileSync(join(runsDir, "bad.jsonl"), rows.join("\n"));
  await assert.rejects(
    run({ data: { train_data: ["bad.jsonl"] } }),
    /2 of 2 rows are malformed: bad.jsonl:1: response: .*; bad.jsonl:2: .*needs a checkpoint with a chat template/,
  );
  writeFileSync(join(runsDir, "long.jsonl"), JSON.stringify({ prompt: "say ".repeat(8), response: "1" }));
  await assert.rejects(run({ data: { train_data: ["long.jsonl"] } }), /none of 1 rows can be used: .*10 tokens, and 8/);
});
