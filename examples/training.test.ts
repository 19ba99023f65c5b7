import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { mergeConfig } from "actors/rl";
import { settings, trainOnBoxes } from "./custom-environment.js";
import { trainFromProgram } from "./train-from-program.js";

const runsDir = mkdtempSync(join(tmpdir(), "examples-"));
after(() => rmSync(runsDir, { recursive: true }));

test("quickstart's training starts from a program", async () => {
  const few = {
    environment: { eval_tasks: 8, sandboxes: 8 },
    trainer: { max_training_steps: 2, train_batch_size: 4, policy_mini_batch_size: 2 },
  };
  const result = await trainFromProgram(mergeConfig(few, { trainer: { warm_start: { steps: 10 } } }), runsDir);
  assert.equal(result.steps, 2);
  assert.equal(result.episodes, 64);
  assert.ok(existsSync(join(result.checkpoint!, "model.safetensors")));
});

test("a model trains on an environment of one's own", async () => {
  const few = { environment: { eval_tasks: 8 }, trainer: { max_training_steps: 2, warm_start: { steps: 10 } } };
  const result = await trainOnBoxes(mergeConfig(settings, few), runsDir);
  assert.equal(result.steps, 2);
  assert.equal(result.failedEpisodes, 0);
});
