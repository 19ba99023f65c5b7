import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { type Batch, Engine, Learner, type LossSpec, type LossStats } from "./index.js";
import { cut, distance, folderFor, golden, maxDifference, readTensors } from "./test/helpers.js";

/** A Python that has transformers: ACTORS_PYTHON, or the one on the path; null when it has not. */
function pythonWithTransformers(): string | null {
  const python = process.env.ACTORS_PYTHON ?? "python3";
  const found = spawnSync(python, ["-c", "import transformers, torch"], { timeout: 60_000 });
  return found.status === 0 ? python : null;
}

for (const name of ["untied", "tied", "llama3", "qwen2", "qwen3", "qwen3-moe", "qwen3-moe-raw"]) {
  describe(`against transformers and torch in fp64, ${name}`, async () => {
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

    /** The loss, and the gradient of every parameter for which there is a golden. */
    const checkGradients = async (kind: string, loss: LossSpec, wanted: number, parts: Batch[] = [batch]) => {
      let sum = 0;
      let stats: LossStats | undefined;
      for (const part of parts) {
        stats = await learner.forwardBackward(part, loss);
        sum += stats.loss;
      }
      assert.ok(Math.abs(sum - wanted) < 1e-5, `loss ${sum} instead of ${wanted}`);
      let checked = 0;
      for (const [parameter, gradient] of Object.entries(learner.gradients())) {
        const golden = tensors.get(`${kind}.${parameter}`);
        if (golden === undefined) continue;
        checked++;
        const error = distance(gradient, golden);
        assert.ok(error < 2e-5, `${kind} gradient of ${parameter} is off by ${error}`);
      }
      assert.ok(checked > 2, `only ${checked} goldens for ${kind}`);
      await learner.optimStep({ lr: 0 });
      return stats!;
    };

    it("loads the folder transformers wrote and gives its logits, log-probabilities and entropies", async () => {
      const { logp, entropy } = await learner.logprobs(batch);
      assert.ok(maxDifference(logp, tensors.get("logp")!) < 2e-5);
      assert.ok(maxDifference(entropy, tensors.get("entropy")!) < 2e-5);
      const logits = await learner.logits(batch.tokens.slice(0, batch.starts[1]));
      assert.ok(maxDifference(logits, tensors.get("logits")!) < 2e-5);
    });

    it("gives the gradients of the clipped policy loss with entropy bonus and truncated weights", async () => {
      const { clipLow, clipHigh, entropyCoef, tisCap } = expected.loss;
      const weights = batch.oldLogp.map((old, i) => Math.min(Math.exp(old - batch.rolloutLogp[i]!), tisCap));
      const stats = await checkGradients(
        "policy",
        { kind: "regular", clipLow, clipHigh, entropyCoef, normalizer },
        expected.policyLoss,
        [{ ...batch, weights }],
      );
      assert.ok(Math.abs(stats.clipFraction - expected.clipFraction) < 1e-6);
      assert.equal(stats.tokens, normalizer);
    });

    if (tensors.has("cross_entropy.model.norm.weight")) {
      it("gives the gradients of cross entropy", async () => {
        await checkGradients("cross_entropy", { kind: "cross_entropy", normalizer }, expected.crossEntropy);
      });
    }

    if (expected.balance !== undefined) {
      it("gives the experts' load-balancing loss and its gradients, whatever the micro-batches", async () => {
        // Without advantages the policy loss is 0 and leaves its place to the balance alone.
        const idle = { ...batch, advantages: new Float32Array(batch.tokens.length) };
        const spec: LossSpec = { kind: "regular", balanceCoef: 1, normalizer };
        for (const parts of [[idle], [cut(idle, 0, 2), cut(idle, 2, 4)]]) {
          const stats = await checkGradients("balance", spec, expected.balance!, parts);
          assert.ok(parts.length > 1 || Math.abs(stats.balance - expected.balance!) < 1e-5);
        }
      });
    }

    it("decodes the same tokens greedily", async (t) => {
      const file = `${folderFor(t)}/weights`;
      await learner.publish(file);
      const engine = Engine.open(learner.config, { maxSequences: 2 });
      t.after(() => engine.close());
      await engine.loadWeights(file, 0);
      engine.submit({ tokens: batch.tokens.slice(0, 5), maxTokens: 20, temperature: 0, stop: [], seed: 0 });
      const [generation] = await engine.run(100);
      assert.deepEqual([...generation!.tokens], expected.greedy);
      const whole = Int32Array.from([...batch.tokens.slice(0, 5), ...generation!.tokens]);
      const { logp } = await learner.logprobs({ tokens: whole, starts: Int32Array.of(0, whole.length) });
      assert.ok(maxDifference(generation!.logprobs, logp.slice(5)) < 1e-4);
    });

    it("follows ten AdamW steps: same loss curve, same gradient norms, same moments after five", async (t) => {
      const fresh = await Learner.load(dir);
      t.after(() => fresh.close());
      for (const [step, wanted] of expected.losses.entries()) {
        const { loss } = await fresh.forwardBackward(batch, { kind: "cross_entropy", normalizer });
        assert.ok(Math.abs(loss - wanted) < 1e-4, `step ${step}: loss ${loss} instead of ${wanted}`);
        const { gradNorm } = await fresh.optimStep(expected.adamw);
        assert.ok(Math.abs(gradNorm / expected.gradNorms[step]! - 1) < 1e-3, `step ${step}: norm ${gradNorm}`);
        if (step !== 4) continue;
        const state = `${folderFor(t)}/state`;
        await fresh.saveState(state);
        const saved = readTensors(state);
        let at = 0;
        for (const [parameter, { length }] of Object.entries(fresh.parameters())) {
          for (const moment of ["moment1", "moment2"]) {
            const error = distance(
              saved.get(moment)!.subarray(at, at + length),
              tensors.get(`${moment}.${parameter}`)!,
            );
            assert.ok(error < 1e-3, `${moment} of ${parameter} is off by ${error}`);
          }
          at += length;
        }
      }
    });

    it("writes folders, sharded and in half precision, that it reads back to the rounded weights", async (t) => {
      const wanted = learner.parameters();
      for (const storage of ["F32", "BF16", "F16"] as const) {
        const folder = folderFor(t);
        await learner.save(folder, { storage, shardBytes: storage === "F32" ? 8000 : 2 ** 30 });
        assert.equal(fs.existsSync(`${folder}/model.safetensors.index.json`), storage === "F32");
        const back = await Learner.load(folder);
        t.after(() => back.close());
        assert.deepEqual(back.config, learner.config);
        const bits = { F32: Number.POSITIVE_INFINITY, BF16: 8, F16: 11 }[storage];
        for (const [parameter, values] of Object.entries(back.parameters())) {
          assert.ok(distance(values, wanted[parameter]!) <= 2 ** -bits, `${storage} ${parameter}`);
        }
      }
    });
  });
}

describe("folders for transformers", () => {
  const python = pythonWithTransformers();
  const skip = python === null ? "no Python with torch and transformers here (set ACTORS_PYTHON)" : false;

  it("loads what we wrote, sharded too, and gives the same logits", { skip }, async (t) => {
    const base = folderFor(t);
    const jobs: { folder: string; tokens: number[] }[] = [];
    const logits: Float32Array[] = [];
    for (const name of ["untied", "tied", "llama3", "qwen2", "qwen3", "qwen3-moe"]) {
      const { dir, expected } = golden(name);
      const learner = await Learner.load(dir);
      t.after(() => learner.close());
      const tokens = expected.tokens.slice(0, 40);
      const folder = path.join(base, name);
      await learner.save(folder, { shardBytes: 10_000 });
      jobs.push({ folder, tokens });
      logits.push(await learner.logits(Int32Array.from(tokens)));
    }
    const script = path.join(golden("tied").dir, "..", "logits.py");
    const input = JSON.stringify(jobs);
    const ran = spawnSync(python!, [script], { input, encoding: "utf8", timeout: 120_000, maxBuffer: 64 << 20 });
    assert.equal(ran.status, 0, ran.stderr);
    const theirs = JSON.parse(ran.stdout) as number[][];
    for (const [i, ours] of logits.entries()) {
      assert.ok(maxDifference(ours, theirs[i]!) < 2e-5, `${jobs[i]!.folder}: other logits`);
    }
  });
});
