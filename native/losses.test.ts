import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Batch, Learner, type LossSpec, type OptimOptions, type TokenLoss } from "./index.js";
import {
  batchOf,
  cut,
  distance,
  fits,
  folderFor,
  golden,
  learnerFor,
  readTensors,
  type Sketch,
  smallModel,
} from "./test/helpers.js";

type Spec = TokenLoss & Omit<LossSpec, "normalizer">;

interface Golden {
  arrays: Record<"refLogp" | "weights" | "interpolation", number[]>;
  cases: Record<
    string,
    { spec: Spec; loss: number; clipFraction: number; klRef?: number; gradients: Record<string, Sketch> }
  >;
  training: { spec: Spec; adamw: OptimOptions; losses: number[] } & Record<
    "weights" | "moment1" | "moment2",
    Record<string, Sketch>
  >;
}

const untied = golden("untied");
const wanted = JSON.parse(fs.readFileSync(path.join(untied.dir, "..", "losses.json"), "utf8")) as Golden;
const array = (name: keyof Golden["arrays"]) => Float32Array.from(wanted.arrays[name]);
const batch: Batch = {
  tokens: Int32Array.from(untied.expected.tokens),
  starts: Int32Array.from(untied.expected.starts),
  lossMask: Uint8Array.from(untied.expected.lossMask),
  advantages: untied.tensors.get("advantages")!,
  oldLogp: untied.tensors.get("oldLogp")!,
  rolloutLogp: untied.tensors.get("rolloutLogp")!,
  refLogp: array("refLogp"),
  weights: array("weights"),
};
const normalizer = batch.lossMask.reduce((sum, m) => sum + m, 0);

const specs: Spec[] = [
  { kind: "regular", clipLow: 0.2, clipHigh: 0.28, entropyCoef: 0.01, klCoef: 0.1 },
  { kind: "dual_clip", dualClip: 1.5 },
  { kind: "gspo", clipLow: 0.02, clipHigh: 0.03 },
  { kind: "cispo", clipLow: 0.5, clipHigh: 0.5 },
  { kind: "sapo" },
  { kind: "dppo", deltaLow: 0.01, deltaHigh: 0.01 },
  { kind: "decoupled_ppo" },
  { kind: "importance_sampling" },
  { kind: "cross_entropy" },
];

async function gradientsOf(learner: Learner, parts: Batch[], loss: LossSpec): Promise<Record<string, Float32Array>> {
  for (const part of parts) await learner.forwardBackward(part, loss);
  const gradients = learner.gradients();
  await learner.optimStep({ lr: 0 });
  return gradients;
}

async function loaded(t: TestContext): Promise<Learner> {
  const learner = await Learner.load(untied.dir);
  t.after(() => learner.close());
  return learner;
}

describe("losses against torch in fp64", () => {
  for (const [name, { spec, loss, clipFraction, klRef, gradients }] of Object.entries(wanted.cases)) {
    it(`gives value, statistics and every parameter's gradient of ${name}`, async (t) => {
      const learner = await loaded(t);
      const { oldLogp: _, ...interpolated } = { ...batch, interpolation: array("interpolation") };
      const input = name.endsWith("interpolated") ? interpolated : batch;
      const stats = await learner.forwardBackward(input, { ...spec, normalizer });
      assert.ok(Math.abs(stats.loss - loss) < 1e-5, `loss ${stats.loss} instead of ${loss}`);
      assert.ok(Math.abs(stats.clipFraction - clipFraction) < 1e-9, `clip fraction ${stats.clipFraction}`);
      assert.ok(Math.abs(stats.klRef - (klRef ?? 0)) < 1e-5, `KL ${stats.klRef} instead of ${klRef}`);
      const ours = learner.gradients();
      assert.deepEqual(new Set(Object.keys(ours)), new Set(Object.keys(gradients)));
      for (const [parameter, sketch] of Object.entries(gradients)) fits(ours[parameter]!, sketch, 2e-5, parameter);
    });
  }

  it("has the same weights and moments after five AdamW steps of a policy loss with KL", async (t) => {
    const learner = await loaded(t);
    const { spec, adamw, losses, ...expected } = wanted.training;
    for (const loss of losses) {
      const stats = await learner.forwardBackward(batch, { ...spec, normalizer });
      assert.ok(Math.abs(stats.loss - loss) < 1e-4, `loss ${stats.loss} instead of ${loss}`);
      await learner.optimStep(adamw);
    }
    const state = `${folderFor(t)}/state`;
    await learner.saveState(state);
    const saved = readTensors(state);
    let at = 0;
    for (const [parameter, { length }] of Object.entries(learner.parameters())) {
      for (const kind of ["weights", "moment1", "moment2"] as const) {
        fits(saved.get(kind)!.subarray(at, at + length), expected[kind][parameter]!, 1e-3, `${kind} of ${parameter}`);
      }
      at += length;
    }
  });
});

describe("every loss", () => {
  // Zero-length and one-token sequences, and one of which nothing is masked in.
  const lengths = [20, 1, 0, 50, 17, 64, 2, 33];
  const mini = { ...batchOf(lengths), weights: Float32Array.from(batchOf(lengths).advantages, Math.abs) };
  mini.lossMask.fill(0, mini.starts[4], mini.starts[5]);

  for (const spec of specs) {
    it(`${spec.kind}: the same gradient for micro-batches of 8, 4, 2 and 1 sequences`, async (t) => {
      const learner = learnerFor(t);
      const loss: LossSpec = { ...spec, normalizer: 100 };
      const whole = await gradientsOf(learner, [mini], loss);
      assert.ok(Object.values(whole).some((gradient) => gradient.some((g) => g !== 0)));
      for (const size of [4, 2, 1]) {
        const parts = Array.from({ length: 8 / size }, (_, i) => cut(mini, i * size, (i + 1) * size));
        const gradients = await gradientsOf(learner, parts, loss);
        for (const [name, gradient] of Object.entries(gradients)) {
          assert.ok(distance(gradient, whole[name]!) < 1e-5, `in parts of ${size}: ${name}`);
        }
      }
    });

    it(`${spec.kind}: is blind to what lies at masked positions, NaN included`, async (t) => {
      const learner = learnerFor(t);
      const loss: LossSpec = { ...spec, normalizer: 100 };
      const dirty = { ...mini };
      for (const name of ["advantages", "oldLogp", "rolloutLogp", "refLogp", "weights"] as const) {
        dirty[name] = mini[name].map((x, i) => (mini.lossMask[i] ? x : Number.NaN));
      }
      assert.deepEqual(await gradientsOf(learner, [dirty], loss), await gradientsOf(learner, [mini], loss));
    });
  }

  it("skips the step when a NaN lies where the mask is 1", async (t) => {
    const learner = learnerFor(t);
    for (const spec of specs.filter(({ kind }) => kind !== "cross_entropy")) {
      const broken = { ...mini, advantages: mini.advantages.slice() };
      broken.advantages[mini.lossMask.indexOf(1)] = Number.NaN;
      await learner.forwardBackward(broken, { ...spec, normalizer: 100 });
      assert.equal((await learner.optimStep({ lr: 1e-3 })).skipped, true, spec.kind);
    }
  });

  it("adds the reference's KL with a gradient: a policy trained on it alone comes back to its reference", async (t) => {
    const [learner, reference] = [learnerFor(t), learnerFor(t, smallModel, 2)];
    const { logp: refLogp } = await reference.logprobs(mini);
    const still = { ...mini, refLogp, advantages: new Float32Array(refLogp.length) };
    const loss: LossSpec = { kind: "regular", klCoef: 1, normalizer: 100 };
    const divergences: number[] = [];
    for (let step = 0; step < 30; step++) {
      divergences.push((await learner.forwardBackward(still, loss)).klRef);
      await learner.optimStep({ lr: 1e-2 });
    }
    assert.ok(divergences.at(-1)! < divergences[0]! / 10, `${divergences[0]} became ${divergences.at(-1)}`);
  });

  it("is a sum of coefficients for `linear`; sequence-level losses hold when logits come in blocks of rows", async (t) => {
    const wide = { ...smallModel, vocabSize: 40_000, dim: 8, layers: 1, tiedEmbeddings: false };
    const learner = learnerFor(t, wide);
    const long = batchOf([70, 3, 60], wide); // blocks of 32 rows
    const { logp } = await learner.logprobs(long);
    long.oldLogp = logp.map((x, i) => x + ((i % 7) - 3) / 20);
    const gspo = await gradientsOf(learner, [long], { kind: "gspo", clipLow: 1, clipHigh: 9, normalizer: 10 });
    const coefficients = new Float32Array(logp.length);
    for (let s = 0; s < 3; s++) {
      const at = [...coefficients.keys()].filter((i) => i >= long.starts[s]! && i < long.starts[s + 1]!);
      const masked = at.filter((i) => long.lossMask[i]);
      const mean = masked.reduce((sum, i) => sum + logp[i]! - long.oldLogp[i]!, 0) / Math.max(1, masked.length);
      for (const i of masked) coefficients[i] = -Math.exp(mean) * long.advantages[i]!;
    }
    const linear = await gradientsOf(learner, [{ ...long, coefficients }], { kind: "linear", normalizer: 10 });
    for (const [name, gradient] of Object.entries(gspo)) assert.ok(distance(gradient, linear[name]!) < 1e-5, name);
  });
});
