import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { type Batch, Engine, Learner, type LossSpec } from "./index.js";
import { batchOf, cut, distance, failsWith, fits, folderFor, golden, learnerFor, smallModel } from "./test/helpers.js";

const critic = { ...smallModel, valueHead: true };
const value: LossSpec = { kind: "value", normalizer: 50 };

describe("a critic", () => {
  it("takes a language model's trunk, says 0, and learns as in torch in fp64", async (t) => {
    const { dir, expected } = golden("untied");
    const { arrays, critic, training } = JSON.parse(fs.readFileSync(path.join(dir, "..", "losses.json"), "utf8"));
    const batch: Batch = {
      tokens: Int32Array.from(expected.tokens),
      starts: Int32Array.from(expected.starts),
      lossMask: Uint8Array.from(expected.lossMask),
      returns: Float32Array.from(arrays.returns),
      oldValues: Float32Array.from(arrays.oldValues),
    };
    const normalizer = expected.lossMask.reduce((sum, m) => sum + m, 0);
    const learner = await Learner.load(dir, { valueHead: true });
    t.after(() => learner.close());
    assert.ok((await learner.values(batch)).every((v) => v === 0));
    for (const [step, loss] of critic.losses.entries()) {
      const stats = await learner.forwardBackward(batch, { kind: "value", valueClip: critic.valueClip, normalizer });
      assert.ok(Math.abs(stats.loss - loss) < 1e-5, `step ${step}: loss ${stats.loss} instead of ${loss}`);
      assert.ok(Math.abs(stats.clipFraction - critic.clipFractions[step]) < 1e-9);
      const gradients = Object.entries(learner.gradients());
      assert.equal(gradients.length, Object.keys(critic.gradients).length);
      if (step === 2) for (const [name, g] of gradients) fits(g, critic.gradients[name], 1e-3, name);
      await learner.optimStep(training.adamw);
    }
    fits(await learner.values(batch), critic.values, 1e-3, "values");
  });

  it("gives the same gradient however the mini-batch is cut, and no NaN of a masked position", async (t) => {
    const learner = learnerFor(t, critic);
    const batch = batchOf([20, 1, 0, 50, 17, 64, 2, 33], critic);
    const gradientsOf = async (parts: Batch[]) => {
      for (const part of parts) await learner.forwardBackward(part, value);
      const gradients = learner.gradients();
      await learner.optimStep({ lr: 0 });
      return gradients;
    };
    const whole = await gradientsOf([batch]);
    for (const size of [4, 1]) {
      const parts = Array.from({ length: 8 / size }, (_, i) => cut(batch, i * size, (i + 1) * size));
      for (const [name, g] of Object.entries(await gradientsOf(parts)))
        assert.ok(distance(g, whole[name]!) < 1e-5, name);
    }
    const unmasked = (x: Float32Array) => x.map((v, i) => (batch.lossMask[i] ? v : Number.NaN));
    const dirty = { ...batch, returns: unmasked(batch.returns), oldValues: unmasked(batch.oldValues) };
    assert.deepEqual(await gradientsOf([dirty]), whole);
  });

  it("is saved and read back as a model that classifies sequences, state included", async (t) => {
    const folder = folderFor(t);
    const learner = learnerFor(t, critic);
    const batch = batchOf([30, 20], critic);
    await learner.save(folder);
    const config = JSON.parse(fs.readFileSync(`${folder}/config.json`, "utf8"));
    assert.deepEqual(config.architectures, ["LlamaForSequenceClassification"]);
    const back = await Learner.load(folder);
    t.after(() => back.close());
    assert.deepEqual(back.config, critic);
    assert.deepEqual(await back.values(batch), await learner.values(batch));
    assert.ok(!Object.keys(back.parameters()).includes("lm_head.weight"));
    await learner.saveState(`${folder}/state`);
    await failsWith("INVALID_ARGUMENT", /another config/, () => learnerFor(t).loadState(`${folder}/state`));
  });

  it("says what it has not, as a model that predicts tokens does", async (t) => {
    const [learner, policy] = [learnerFor(t, critic), learnerFor(t)];
    const batch = batchOf([10]);
    const refuses = (message: RegExp, body: () => unknown) => failsWith("INVALID_ARGUMENT", message, body);
    await refuses(/no log-probabilities/, () => learner.logprobs(batch));
    await refuses(/no logits/, () => learner.logits(batch.tokens));
    await refuses(/no value head/, () => policy.values(batch));
    await refuses(/regular needs a model that predicts tokens/, () =>
      learner.forwardBackward(batch, { kind: "regular", normalizer: 1 }),
    );
    await refuses(/value needs a model with a value head/, () => policy.forwardBackward(batch, value));
    const { returns: _, ...without } = batch;
    await refuses(/value needs returns/, () => learner.forwardBackward(without, value));
    await refuses(/neither entropy nor KL/, () => learner.forwardBackward(batch, { ...value, klCoef: 1 }));
    await refuses(/generates nothing/, () => Engine.open(critic, { maxSequences: 1 }));
  });
});
