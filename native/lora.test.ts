import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { Learner, type LoraOptions, type LossSpec } from "./index.js";
import {
  batchOf,
  distance,
  failsWith,
  folderFor,
  golden,
  learnerFor,
  readTensors,
  smallModel,
} from "./test/helpers.js";

const lora: LoraOptions = { rank: 3, alpha: 6, targets: ["q_proj", "v_proj", "down_proj"] };
const loss: LossSpec = { kind: "cross_entropy", normalizer: 30 };

describe("adapters of low rank", () => {
  it("are read from PEFT's folder, learn as they do there, and are written as it writes them", async (t) => {
    const { dir, expected } = golden("untied");
    const goldens = path.join(dir, "..", "lora");
    const { adamw, losses, gradNorms } = JSON.parse(fs.readFileSync(path.join(goldens, "expected.json"), "utf8"));
    const batch = {
      tokens: Int32Array.from(expected.tokens),
      starts: Int32Array.from(expected.starts),
      lossMask: Uint8Array.from(expected.lossMask),
    };
    const normalizer = batch.lossMask.reduce((sum, m) => sum + m, 0);
    const learner = await Learner.load(dir);
    t.after(() => learner.close());
    await learner.adapt(lora, 1);
    await learner.loadAdapters(path.join(goldens, "before"));
    for (const [step, wanted] of losses.entries()) {
      const stats = await learner.forwardBackward(batch, { kind: "cross_entropy", normalizer });
      assert.ok(Math.abs(stats.loss - wanted) < 1e-5, `step ${step}: loss ${stats.loss} instead of ${wanted}`);
      const { gradNorm } = await learner.optimStep(adamw);
      assert.ok(Math.abs(gradNorm / gradNorms[step] - 1) < 1e-4, `step ${step}: norm ${gradNorm}`);
    }
    const folder = folderFor(t);
    await learner.saveAdapters(folder);
    const [ours, theirs] = [folder, path.join(goldens, "after")].map((d) =>
      readTensors(`${d}/adapter_model.safetensors`),
    );
    assert.deepEqual([...ours!.keys()].sort(), [...theirs!.keys()].sort());
    for (const [name, values] of theirs!) assert.ok(distance(ours!.get(name)!, values) < 1e-4, name);
    const configOf = (d: string) => JSON.parse(fs.readFileSync(`${d}/adapter_config.json`, "utf8"));
    const { peft_type, r, lora_alpha, target_modules } = configOf(folder);
    const golden_ = configOf(path.join(goldens, "after"));
    assert.deepEqual([peft_type, r, lora_alpha], [golden_.peft_type, golden_.r, golden_.lora_alpha]);
    assert.deepEqual(target_modules.sort(), golden_.target_modules.sort());
  });

  it("change nothing at first, then only their targets", async (t) => {
    const learner = learnerFor(t);
    const [before, batch] = [learner.parameters(), batchOf([30, 20])];
    await learner.adapt(lora, 1);
    const fresh = await learner.logprobs(batch);
    assert.deepEqual(fresh, await learnerFor(t).logprobs(batch));
    for (let step = 0; step < 2; step++) {
      await learner.forwardBackward(batch, loss);
      await learner.optimStep({ lr: 1e-2 });
    }
    for (const [name, values] of Object.entries(learner.parameters())) {
      const target = lora.targets.some((projection) => name.endsWith(`.${projection}.weight`));
      assert.equal(distance(values, before[name]!) > 0, target, name);
    }
  });

  it("restore their state bit for bit over the same base, and what is saved is merged", async (t) => {
    const folder = folderFor(t);
    const [a, b] = [learnerFor(t), learnerFor(t)];
    for (const [i, learner] of [a, b].entries()) await learner.adapt(lora, i);
    const train = async (learner: Learner) => {
      await learner.forwardBackward(batchOf([30, 20]), loss);
      await learner.optimStep({ lr: 1e-2, weightDecay: 0.1 });
    };
    await train(a);
    await a.saveState(`${folder}/state`);
    await b.loadState(`${folder}/state`);
    for (const learner of [a, b]) await train(learner);
    assert.deepEqual(a.parameters(), b.parameters());
    await a.save(folder);
    const merged = await Learner.load(folder);
    t.after(() => merged.close());
    assert.deepEqual(merged.parameters(), a.parameters());
  });

  it("name what does not fit", async (t) => {
    const folder = folderFor(t);
    const [learner, other] = [learnerFor(t), learnerFor(t)];
    const refuses = (message: RegExp, body: () => unknown) => failsWith("INVALID_ARGUMENT", message, body);
    await refuses(/no adapters/, () => learner.saveAdapters(folder));
    await refuses(/rank must be between 1 and/, () => learner.adapt({ ...lora, rank: 0 }, 1));
    await refuses(/targets must be of q_proj, .* got "lm_head"/, () =>
      learner.adapt({ ...lora, targets: ["lm_head"] }, 1),
    );
    await learner.adapt(lora, 1);
    await refuses(/adapters already/, () => learner.adapt(lora, 1));
    await learner.saveAdapters(folder);
    await other.adapt({ ...lora, alpha: 7 }, 1);
    await refuses(/another rank or alpha than 3 and 7/, () => other.loadAdapters(folder));
    const config = fs.readFileSync(`${folder}/adapter_config.json`, "utf8");
    fs.writeFileSync(`${folder}/adapter_config.json`, config.replace("{", '{"use_rslora": true,'));
    await failsWith("UNSUPPORTED", /use_rslora/, () => learner.loadAdapters(folder));
    await learner.saveState(`${folder}/state`);
    await refuses(/other adapters/, () => other.loadState(`${folder}/state`));
    await refuses(/other adapters/, () => learnerFor(t, smallModel).loadState(`${folder}/state`));
  });
});
