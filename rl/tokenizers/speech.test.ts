import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { localSystem } from "../../runtime/index.js";
import { resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { arithmetic } from "../environments/arithmetic/index.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { skyEnvironment } from "../environments/skyrl.js";
import { readTrajectories } from "../run/read.js";
import { tinyQwen } from "../testing/tiny-models.js";
import { loadInputs } from "../trainer/inputs.js";
import { train } from "../trainer/train.js";
import { dialogueOf } from "./dialogue.js";
import { HuggingFaceTokenizer } from "./hugging-face.js";
import { speakAs } from "./speech.js";

const goldens = fileURLToPath(new URL("../../../rl/tokenizers/goldens/qwen-style", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "speech-"));
after(() => rmSync(folder, { recursive: true }));
const tokenizer = HuggingFaceTokenizer.load(goldens);
const speech = { folder: goldens, variables: { enable_thinking: false } };

test("turn by turn, a conversation comes out in the tokens that its template gives for all of it", async () => {
  const def = await speakAs(arithmetic as EnvironmentDef, speech);
  const dialogue = dialogueOf(def);
  const [first, second] = ["calculate 1 + 1", "answer #### 2"].map((text) => tokenizer.encode(`${text}<|im_end|>`));
  const thought = "<think>\n\n</think>\n\n";
  const tools = [...arithmetic.tools!];
  const conversation = [
    { role: "user", content: "What is 1 + 1?" },
    { role: "assistant", content: `${thought}calculate 1 + 1` },
    { role: "tool", content: "2" },
    { role: "assistant", content: `${thought}answer #### 2` },
  ];
  const tokens = [dialogue.open({ prompt: "What is 1 + 1?" }), first!, dialogue.answer("2", true), second!];
  const whole = tokenizer.chat(conversation, { tools, variables: speech.variables });
  assert.equal(tokens.map((part) => decode(part)).join(""), whole.trimEnd());
  assert.equal(decode(dialogue.answer("2", false)), `<|im_end|>${decode(dialogue.answer("2", true))}`);
});

test("messages of a row keep their roles, and a checkpoint without a template speaks plainly", async () => {
  const row = {
    ...{ data_source: "a", env_class: "", reward_spec: { ground_truth: "" }, extra_info: {} },
    prompt: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ],
  };
  const sky = skyEnvironment({
    ...{ name: "sky", maxTurns: 1, maxActionTokens: 8 },
    make: () => ({
      init: async (prompt) => [prompt, {}],
      step: async () => ({ observations: [], reward: 0, done: true, metadata: {} }),
      close: async () => {},
    }),
  }) as EnvironmentDef;
  const { task: _, ...opening } = sky.fromRow!(row);
  const opened = dialogueOf(await speakAs(sky, { ...speech, variables: {} })).open(opening);
  assert.equal(decode(opened), tokenizer.chat(row.prompt, { addGenerationPrompt: true }));
  const plain = join(folder, "plain");
  cpSync(goldens, plain, { recursive: true });
  rmSync(join(plain, "chat_template.jinja"));
  const spoken = await speakAs(sky, { folder: plain, variables: {} });
  assert.equal(decode(dialogueOf(spoken).open(opening)), "Be brief.\nHi");
  writeFileSync(join(plain, "chat_template.jinja"), "{% for m in messages %}{{ m.content }}\n{% endfor %}");
  await assert.rejects(
    speakAs(sky, { folder: plain, variables: {} }),
    /the tokenizer of .*plain cannot be used: the chat template does not end .* <\|im_end\|>/,
  );
});

test("a teacher must speak the policy's tokens, hold as much, and be there", async () => {
  const student = await tinyQwen(join(folder, "student"), "qwen3");
  const [other, short] = [join(folder, "other"), await tinyQwen(join(folder, "short"), "qwen2", 512)];
  cpSync(student, other, { recursive: true });
  const tokens = readFileSync(join(other, "tokenizer.json"), "utf8");
  writeFileSync(join(other, "tokenizer.json"), tokens.replace("<|im_start|>", "<|im_begin|>"));
  const inputs = (teacher: string, path: string | null = student) =>
    loadInputs(
      resolveConfig({
        environment: { env_class: "arithmetic" },
        trainer: { policy: { model: { path } }, algorithm: { distillation: { teacher } } },
      }),
      folder,
    );
  assert.equal((await inputs("student")).teacher, student);
  const key = "trainer.algorithm.distillation.teacher: ";
  await assert.rejects(inputs(other), new RegExp(`${key}.*other has other tokens than the policy`));
  await assert.rejects(
    inputs(student, null),
    /student has other tokens than the policy/,
    "bytes are no words of its own",
  );
  const silent = join(folder, "silent");
  cpSync(student, silent, { recursive: true });
  rmSync(join(silent, "tokenizer.json"));
  await assert.rejects(inputs(silent), /silent has other tokens than the policy/);
  await assert.rejects(inputs(short), new RegExp(`${key}.*short holds 512 tokens, and the policy 1024`));
  await assert.rejects(inputs("nobody"), new RegExp(`${key}.*nobody is no checkpoint`));
});

test("a Hugging Face folder trains and generates in its own tokens and template, what it sampled stays as it was sampled", async () => {
  const base = await tinyQwen(join(folder, "base"), "qwen3");
  const config: ConfigInput = {
    environment: { env_class: "arithmetic", sandboxes: 1, sandbox_backend: "process", eval_tasks: 2 },
    trainer: {
      ...{ mode: "sync", max_training_steps: 2, train_batch_size: 2, learner_ranks: 1 },
      policy: { model: { path: base } },
      warm_start: { steps: 1, batch_size: 2 },
    },
    generator: { n_samples_per_prompt: 2, max_turns: 3, max_generate_length: 6 },
  };
  await using system = await localSystem();
  const run = await train({ system, config, name: "hf", runsDir: folder });
  for (const name of ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]) {
    assert.deepEqual(readFileSync(join(run.checkpoint!, name)), readFileSync(join(goldens, name)));
  }
  assert.ok(existsSync(join(run.checkpoint!, "model.safetensors")));
  const dialogue = dialogueOf(await speakAs(arithmetic as EnvironmentDef, { ...speech, variables: {} }));
  const episodes = [...readTrajectories(run.folder)];
  assert.equal(episodes.length, 8);
  for (const { prompt, tokens, lossMask, turns } of episodes) {
    const expected = [...dialogue.open({ prompt })];
    assert.equal(turns.length, 3);
    for (const [i, { start, end, action, observation }] of turns.entries()) {
      assert.equal(start, expected.length);
      const sampled = tokens.slice(start, end);
      expected.push(...sampled);
      assert.equal(tokenizer.decode(Int32Array.from(sampled)), action);
      assert.ok(lossMask.slice(start, end).every((m) => m === 1));
      if (i < 2) expected.push(...dialogue.answer(observation, sampled.at(-1) === tokenizer.eos));
    }
    assert.deepEqual([...tokens], expected);
    assert.equal(
      lossMask.reduce((sum, m) => sum + m, 0),
      turns.reduce((sum, { start, end }) => sum + end - start, 0),
    );
  }
});

/** Special tokens included, the end as well. */
function decode(ids: Int32Array): string {
  const parts: string[] = [];
  let from = 0;
  for (const [i, id] of ids.entries()) {
    if (id !== tokenizer.eos) continue;
    parts.push(tokenizer.decode(ids.slice(from, i)), tokenizer.end);
    from = i + 1;
  }
  return parts.concat(tokenizer.decode(ids.slice(from))).join("");
}
