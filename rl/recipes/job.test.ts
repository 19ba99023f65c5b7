import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { resolveConfig } from "../config/load.js";
import { RunFolder } from "../run/folder.js";
import { trainingJob } from "./job.js";

const runsDir = mkdtempSync(join(tmpdir(), "job-"));
after(() => rmSync(runsDir, { recursive: true }));
const recipe = trainingJob({ name: "train", describe: "", settings: {} });
const input = { configFile: null, seed: null, resume: null, runsDir };

test("settings of a resumed run are looked at together with the run's own", async () => {
  const config = resolveConfig({ generator: { backend: "vllm", remote_inference_engine_urls: ["there:1"] } });
  const folder = await RunFolder.create(runsDir, "far", config);
  await folder.close();
  const check = async (generator: object) => recipe.check!({ ...input, resume: folder.path, config: { generator } });
  await check({ remote_inference_engine_urls: ["elsewhere:1"] });
  await assert.rejects(check({ remote_inference_engine_urls: [] }), /generator.backend vllm needs at least one/);
  await assert.rejects(check({ max_attempts: 0 }), /generator.max_attempts must be at least 1, not 0/);
});

test("settings that clash are named with their line", async () => {
  const configFile = join(runsDir, "run.yaml");
  writeFileSync(configFile, "generator:\n  tree: { roots: 8 }\n");
  const given = { ...input, configFile, config: { generator: { tree: { roots: 8 } } } };
  await assert.rejects(async () => recipe.check!(given), /run\.yaml:2: generator\.tree\.roots: 8 of the 8/);
});
