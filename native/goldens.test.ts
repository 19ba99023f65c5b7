import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Engine, Learner, type LossSpec } from "./index.js";
import { distance, folderFor, golden, maxDifference } from "./test/helpers.js";

for (const name of ["untied", "tied"]) {
  describe(`against transformers and torch in fp64, ${name} embeddings`, async () => {
    const { dir, tensors, expected } = golden(name);
    const batch = {
      tokens: Int32Array.from(expected.tokens),
      starts: Int32Array.from(expected.starts),
      lossMask: Uint8Array.from(expected.lossMask),
      advantages: tensors.get("advantages")!,
      oldLogp: tensors.get("oldLogp")!,
      rolloutLogp: tensors.get("rolloutLogp")!,
    };
    const normalizer = batch.lossMask.reduce((sum, m) => sum + m, 0);
    const learner = await Learner.load(dir);
    after(() => learner.close());

    const checkGradients = async (kind: string, loss: LossSpec, wanted: number) => {
      const stats = await learner.forwardBackward(batch, loss);
      assert.ok(Math.abs(stats.loss - wanted) < 1e-5, `loss ${stats.loss} instead of ${wanted}`);
      for (const [parameter, gradient] of Object.entries(learner.gradients())) {
        const error = distance(gradient, tensors.get(`${kind}.${parameter}`)!);
        assert.ok(error < 2e-5, `${kind} gradient of ${parameter} is off by ${error}`);
      }
      await learner.optimStep({ lr: 0 });
      return stats;
    };

    it("loads the folder transformers wrote and gives its log-probabilities and entropies", async () => {
      const { logp, entropy } = await learner.logprobs(batch);
      assert.ok(maxDifference(logp, tensors.get("logp")!) < 2e-5);
      assert.ok(maxDifference(entropy, tensors.get("entropy")!) < 2e-5);
    });

    it("gives the gradients of the clipped policy loss with entropy bonus and truncated weights", async () => {
      const stats = await checkGradients(
        "policy",
        { kind: "policy", ...expected.loss, normalizer },
        expected.policyLoss,
      );
      assert.ok(Math.abs(stats.clipFraction - expected.clipFraction) < 1e-6);
      assert.equal(stats.tokens, normalizer);
    });

    it("gives the gradients of cross entropy", async () => {
      await checkGradients("cross_entropy", { kind: "cross_entropy", normalizer }, expected.crossEntropy);
    });

    it("decodes the same tokens greedily", async (t) => {
      const file = `${folderFor(t)}/weights`;
      await learner.publish(file);
      const engine = Engine.open(learner.config, { maxSequences: 2 });
      t.after(() => engine.close());
      await engine.loadWeights(file, 0);
      engine.submit({ tokens: batch.tokens.slice(0, 5), maxTokens: 20, temperature: 0, stop: [], seed: 0 });
      const [generation] = await engine.run(100);
      assert.deepEqual([...generation!.tokens], expected.greedy);
    });

    it("follows ten AdamW steps: same loss curve, same gradient norms", async (t) => {
      const fresh = await Learner.load(dir);
      t.after(() => fresh.close());
      for (const [step, wanted] of expected.losses.entries()) {
        const { loss } = await fresh.forwardBackward(batch, { kind: "cross_entropy", normalizer });
        assert.ok(Math.abs(loss - wanted) < 1e-4, `step ${step}: loss ${loss} instead of ${wanted}`);
        const { gradNorm } = await fresh.optimStep(expected.adamw);
        assert.ok(Math.abs(gradNorm / expected.gradNorms[step]! - 1) < 1e-3, `step ${step}: norm ${gradNorm}`);
      }
    });
  });
}
