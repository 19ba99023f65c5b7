import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type ConfigInput, loadYaml, mergeConfig, readTrajectories, type StepMetrics, train } from "../rl/index.js";
import { startEngineServer } from "../rl/testing/engine-server.js";
import { tinyQwen } from "../rl/testing/tiny-models.js";
import { localSystem } from "../runtime/index.js";

const recipes = fileURLToPath(new URL("../../examples/recipes", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "recipes-e2e-"));
after(() => rmSync(folder, { recursive: true }));

/** Their settings, with a tiny model of the family in place of the large one, and little of everything. */
const few = (path: string): ConfigInput => ({
  environment: { sandboxes: 4, eval_tasks: 1 },
  trainer: {
    ...{ max_training_steps: 2, train_batch_size: 2, learner_ranks: 1, eval_before_train: false },
    policy: { model: { path } },
  },
  generator: {
    ...{ n_samples_per_prompt: 2, max_turns: 2, max_generate_length: 12, max_num_seqs: 4 },
    num_parallel_generation_workers: 4,
  },
});

const cases = [
  ["swe-small.yaml", "qwen3"],
  ["skyrl-v0-7b.yaml", "qwen2"],
  ["skyrl-v0-8b.yaml", "qwen3"],
  ["skyrl-v0-14b.yaml", "qwen3"],
] as const;

for (const [name, family] of cases) {
  test(`${name} runs with a tiny model: episodes on the software tasks in real sandboxes, and updates`, async () => {
    const model = await tinyQwen(join(folder, name), family, 40_960);
    const settings = mergeConfig(loadYaml(join(recipes, name)) as ConfigInput, few(model));
    delete settings.trainer!.algorithm!.dynamic_sampling; // no sample of a tiny model is better than another
    await using server = settings.generator!.backend === "vllm" ? await startEngineServer("vllm", model, folder) : null;
    const urls = server ? { generator: { remote_inference_engine_urls: [server.url] } } : {};
    await using system = await localSystem();
    const steps: StepMetrics[] = [];
    const config = mergeConfig(settings, urls);
    const run = await train({ system, config, name: "recipe", runsDir: folder, onStep: (m) => steps.push(m) });
    assert.deepEqual([run.steps, run.failedEpisodes, run.episodes], [2, 0, 8]);
    assert.ok(steps.every((m) => Number.isFinite(m.loss) && m.turns === 2));
    const [first] = readTrajectories(run.folder);
    assert.match(first!.prompt, /has an open issue/);
  });
}
