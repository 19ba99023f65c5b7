import assert from "node:assert/strict";
import fs from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Learner, type LossSpec } from "./index.js";
import { batchOf, cut, distance, failsWith, folderFor, learnerFor, maxDifference, smallModel } from "./test/helpers.js";

const policy: LossSpec = { kind: "regular", clipLow: 0.2, clipHigh: 0.28, entropyCoef: 0.01, normalizer: 100 };

describe("a learner", () => {
  it("gives the same gradient however the mini-batch is cut into micro-batches", async (t) => {
    const batch = batchOf([20, 3, 50, 1, 17, 64, 33, 8]);
    const learner = learnerFor(t);
    await learner.forwardBackward(batch, policy);
    const whole = learner.gradients();
    await learner.optimStep({ lr: 0 });
    for (const pieces of [2, 4, 8]) {
      for (let i = 0; i < 8; i += 8 / pieces) await learner.forwardBackward(cut(batch, i, i + 8 / pieces), policy);
      for (const [name, gradient] of Object.entries(learner.gradients())) {
        assert.ok(distance(gradient, whole[name]!) < 1e-5, `${pieces} pieces: ${name}`);
      }
      await learner.optimStep({ lr: 0 });
    }
  });

  it("gives a sequence the same log-probabilities bit for bit whatever it is packed with", async (t) => {
    const batch = batchOf([20, 3, 50, 1, 17]);
    const learner = learnerFor(t, smallModel, 1, 2);
    const packed = await learner.logprobs(batch);
    for (let i = 0; i < 5; i++) {
      const alone = await learner.logprobs(cut(batch, i, i + 1));
      assert.deepEqual(alone.logp, packed.logp.slice(batch.starts[i], batch.starts[i + 1]));
    }
  });

  it("starts from the same weights for the same seed, and others for another", (t) => {
    const [a, b, c] = [learnerFor(t), learnerFor(t), learnerFor(t, smallModel, 2)];
    assert.deepEqual(a.parameters(), b.parameters());
    assert.notDeepEqual(a.parameters(), c.parameters());
  });

  it("never lets a NaN at a masked-out position into loss or gradient", async (t) => {
    const batch = batchOf([30]);
    const learner = learnerFor(t);
    for (let i = 0; i < 30; i++) if (!batch.lossMask[i]) batch.advantages[i] = batch.oldLogp[i] = Number.NaN;
    const stats = await learner.forwardBackward(batch, policy);
    assert.ok(Number.isFinite(stats.loss) && Number.isFinite(stats.klOld));
    const step = await learner.optimStep({ lr: 1e-3 });
    assert.deepEqual([step.skipped, step.reason], [false, null]);
  });

  it("skips a step whose gradient is not finite, names it, and goes on", async (t) => {
    const batch = batchOf([30]);
    const learner = learnerFor(t);
    const before = learner.parameters();
    batch.advantages[batch.lossMask.indexOf(1)] = Number.NaN;
    await learner.forwardBackward(batch, policy);
    const step = await learner.optimStep({ lr: 1e-3 });
    assert.equal(step.skipped, true);
    assert.match(step.reason!, /gradient of model\.\S+ is not finite/);
    assert.deepEqual(learner.parameters(), before);
    await learner.forwardBackward(batchOf([30]), policy);
    assert.equal((await learner.optimStep({ lr: 1e-3 })).skipped, false);
  });

  it("clips by global norm and reports the norm before clipping", async (t) => {
    const [free, clipped] = [learnerFor(t), learnerFor(t)];
    const loss: LossSpec = { kind: "cross_entropy", normalizer: 1 };
    for (const learner of [free, clipped]) await learner.forwardBackward(batchOf([40]), loss);
    const a = await free.optimStep({ lr: 1e-3, eps: 1 });
    const b = await clipped.optimStep({ lr: 1e-3, eps: 1, maxGradNorm: 0.1 });
    assert.ok(a.gradNorm > 1 && a.gradNorm === b.gradNorm);
    // With eps far above the gradient, a step is proportional to it.
    assert.ok(
      maxDifference(
        clipped.parameters()["model.embed_tokens.weight"]!,
        learnerFor(t).parameters()["model.embed_tokens.weight"]!,
      ) < 1e-4,
    );
  });

  it("restores its state bit for bit and refuses another model's", async (t) => {
    const file = `${folderFor(t)}/state`;
    const [a, b] = [learnerFor(t), learnerFor(t, smallModel, 9)];
    const train = async (learner: Learner) => {
      await learner.forwardBackward(batchOf([30, 20]), policy);
      await learner.optimStep({ lr: 1e-2, weightDecay: 0.1 });
    };
    await train(a);
    await a.saveState(file);
    await b.loadState(file);
    for (const learner of [a, b]) await train(learner);
    assert.deepEqual(a.parameters(), b.parameters());
    const other = learnerFor(t, { ...smallModel, layers: 1 });
    await failsWith("INVALID_ARGUMENT", /another config/, () => other.loadState(file));
  });

  it("publishes in the place of a spare file, longer or shorter, and without one", async (t) => {
    const dir = folderFor(t);
    const [learner, longer] = [learnerFor(t), learnerFor(t, { ...smallModel, layers: 3 })];
    const wanted = await learner.publish(`${dir}/wanted`);
    await longer.publish(`${dir}/spare`);
    assert.deepEqual(await learner.publish(`${dir}/a`, `${dir}/spare`), wanted);
    await longer.publish(`${dir}/b`, `${dir}/a`);
    assert.deepEqual(await learner.publish(`${dir}/c`, `${dir}/missing`), wanted);
    assert.deepEqual(fs.readdirSync(dir).sort(), ["b", "c", "wanted"]);
    await longer.publish(`${dir}/again`);
    for (const [one, other] of [
      ["wanted", "c"],
      ["again", "b"],
    ])
      assert.ok(fs.readFileSync(`${dir}/${one}`).equals(fs.readFileSync(`${dir}/${other}`)));
  });

  it("saves a Hugging Face folder and loads it back", async (t) => {
    const dir = `${folderFor(t)}/a/b`;
    const learner = learnerFor(t);
    await learner.save(dir);
    const back = await Learner.load(dir);
    t.after(() => back.close());
    assert.deepEqual(back.config, learner.config);
    assert.deepEqual(back.parameters(), learner.parameters());
  });

  it("stops within a step when its signal aborts, and stays usable", async (t) => {
    const learner = learnerFor(t, { ...smallModel, layers: 8, dim: 128 });
    const big = batchOf(Array.from({ length: 300 }, () => 100));
    const controller = new AbortController();
    const running = learner.forwardBackward(big, policy, controller.signal);
    setImmediate(() => controller.abort());
    await failsWith("ABORTED", /aborted/, () => running);
    assert.ok(Object.values(learner.gradients()).every((gradient) => gradient.every((g) => g === 0)));
    await failsWith("ABORTED", /aborted/, () => learner.logprobs(big, AbortSignal.abort()));
    await learner.forwardBackward(batchOf([10]), policy);
  });

  it("rejects what runs and what waits when it is closed", async () => {
    const learner = Learner.create(smallModel, 1);
    const big = batchOf(Array.from({ length: 200 }, () => 100));
    const calls = [1, 2, 3].map(() => learner.forwardBackward(big, policy));
    const outcomes = Promise.allSettled(calls);
    learner.close();
    for (const outcome of await outcomes) {
      assert.equal(outcome.status === "rejected" && outcome.reason.code, "CLOSED");
    }
    await failsWith("CLOSED", /closed/, () => learner.optimStep({ lr: 1 }));
    await failsWith("CLOSED", /closed/, () => learner.parameters());
    learner.close();
  });

  it("does not touch its caller's arrays after the call, nor care when they change", async (t) => {
    const learner = learnerFor(t);
    const batch = batchOf([40, 30]);
    const wanted = await learner.logprobs(batch);
    const pending = learner.logprobs(batch);
    batch.tokens.fill(0);
    assert.deepEqual((await pending).logp, wanted.logp);
  });

  it("names what is wrong with its arguments", async (t) => {
    const learner = learnerFor(t);
    const bad = (change: object, message: RegExp, loss: LossSpec = policy) =>
      failsWith("INVALID_ARGUMENT", message, () => learner.forwardBackward({ ...batchOf([5, 5]), ...change }, loss));
    await bad({ tokens: new Int32Array(10).fill(50) }, /token 50 at 0 is outside the vocabulary of 50/);
    await bad({ tokens: new Int32Array(10).fill(-1) }, /token -1/);
    await bad({ starts: Int32Array.of(0, 9) }, /starts must begin with 0 and end with/);
    await bad({ starts: Int32Array.of(0, 12, 10) }, /starts must not decrease/);
    await bad({ starts: new Int32Array(0) }, /starts/);
    await bad({ lossMask: new Uint8Array(10).fill(1) }, /first token/);
    await bad({ lossMask: new Uint8Array(3) }, /one entry a token/);
    await bad({ tokens: [1, 2] }, /tokens must be an Int32Array/);
    await bad({}, /normalizer/, { ...policy, normalizer: 0 });
    await bad({ rolloutLogp: undefined }, /dppo needs rolloutLogp/, { kind: "dppo", normalizer: 1 });
    await bad({}, /kind must be one of regular, dual_clip/, { kind: "nonsense" } as unknown as LossSpec);
    const long = batchOf([129]);
    await failsWith("INVALID_ARGUMENT", /maxSeqLen is 128/, () => learner.forwardBackward(long, policy));
    await failsWith("INVALID_ARGUMENT", /lr/, () => learner.optimStep({ lr: Number.NaN }));
    await failsWith("INVALID_ARGUMENT", /kvHeads/, () => Learner.create({ ...smallModel, kvHeads: 3 }, 1));
    await failsWith("INVALID_ARGUMENT", /headDim must be even/, () => Learner.create({ ...smallModel, headDim: 7 }, 1));
    await failsWith("INVALID_ARGUMENT", /dim/, () => Learner.create({ ...smallModel, dim: 1.5 }, 1));
    await failsWith("INVALID_ARGUMENT", /seed/, () => Learner.create(smallModel, -1));
    await failsWith("OUT_OF_MEMORY", /memory/, () =>
      Learner.create({ ...smallModel, vocabSize: 2 ** 30, dim: 2 ** 20 }, 1),
    );
  });

  it("stays finite and consistent for models and batches of any shape", async () => {
    const shape = fc.record({
      vocabSize: fc.integer({ min: 1, max: 70 }),
      dim: fc.integer({ min: 1, max: 40 }),
      layers: fc.integer({ min: 1, max: 3 }),
      kvHeads: fc.integer({ min: 1, max: 3 }),
      group: fc.integer({ min: 1, max: 3 }),
      half: fc.integer({ min: 1, max: 20 }),
      ffnDim: fc.integer({ min: 1, max: 50 }),
      tiedEmbeddings: fc.boolean(),
      family: fc.constantFrom(
        {},
        { qkvBias: true },
        { qkNorm: true },
        { qkNorm: true, experts: { count: 5, active: 2, ffnDim: 9, normalized: true } },
      ),
      threads: fc.integer({ min: 1, max: 3 }),
      lengths: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 6 }),
    });
    const property = fc.asyncProperty(shape, async ({ group, half, lengths, threads, family, ...rest }) => {
      const config = { ...smallModel, ...rest, ...family, heads: rest.kvHeads * group, headDim: half * 2 };
      const learner = Learner.create(config, 3, { threads });
      try {
        const batch = batchOf(lengths, config);
        const { logp, entropy } = await learner.logprobs(batch);
        assert.ok(logp.every((x) => x <= 1e-6 && Number.isFinite(x)));
        assert.ok(entropy.every((x) => x >= -1e-5 && x <= Math.log(config.vocabSize) + 1e-4));
        const stats = await learner.forwardBackward(batch, { kind: "cross_entropy", normalizer: 1 });
        const masked = logp.reduce((sum, x, i) => sum - (batch.lossMask[i] ? x : 0), 0);
        assert.ok(Math.abs(stats.loss - masked) <= 1e-4 * Math.max(1, masked));
        assert.equal((await learner.optimStep({ lr: 1e-3 })).skipped, false);
      } finally {
        learner.close();
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });
});
