import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { check } from "../rl/check/check.js";
import { startEngineServer } from "../rl/testing/engine-server.js";
import { tinyQwen } from "../rl/testing/tiny-models.js";

const folder = fileURLToPath(new URL("../../examples/recipes", import.meta.url));
const rows = fileURLToPath(new URL("../../rl/data/goldens/hub", import.meta.url));
const models = mkdtempSync(join(tmpdir(), "recipes-"));
const [qwen2, qwen3] = await Promise.all([
  tinyQwen(join(models, "qwen2"), "qwen2", 40_960),
  tinyQwen(join(models, "qwen3"), "qwen3", 40_960),
]);
const server = await startEngineServer("vllm", qwen2, models);
after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(models, { recursive: true });
});

const servers = `generator.remote_inference_engine_urls=["${server.url}"]`;
/** What a recipe needs from elsewhere; in place of a large model a tiny one of its family. */
const instead: Record<string, string[]> = {
  "gsm8k.yaml": [`data.train_data=["${rows}"]`, `data.val_data=["${rows}:test"]`],
  "swe-small.yaml": [`trainer.policy.model.path=${qwen3}`],
  "skyrl-v0-7b.yaml": [`trainer.policy.model.path=${qwen2}`, servers],
  "skyrl-v0-8b.yaml": [`trainer.policy.model.path=${qwen3}`, servers],
  "skyrl-v0-14b.yaml": [`trainer.policy.model.path=${qwen3}`, servers],
};

test("every recipe is one file of less than 60 lines in which nothing is wrong", async () => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  assert.ok(names.length >= 10);
  for (const name of names) {
    assert.ok(readFileSync(join(folder, name), "utf8").split("\n").length < 60, name);
    const { problems, warnings, plan } = await check({
      file: name,
      settings: instead[name] ?? [],
      cwd: folder,
      time: false,
    });
    assert.deepEqual([name, problems, warnings], [name, [], []]);
    assert.equal(plan!.config.recipe, "train");
  }
});
