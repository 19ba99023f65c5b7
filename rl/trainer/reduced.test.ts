import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Learner, type LossSpec, type ModelConfig, type TokenLoss } from "../../native/index.js";
import { reductions } from "../algorithms/reductions.js";
import {
  maskedTokens,
  microBatches,
  nativeBatch,
  pack,
  type Sample,
  splitOverRanks,
  spread,
} from "../learner/batch.js";
import { reduced } from "./plan.js";

const model: ModelConfig = {
  ...{ vocabSize: 11, dim: 16, layers: 2, heads: 2, kvHeads: 1, headDim: 8, ffnDim: 24 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 16 },
};
const learner = Learner.create(model, 3);
after(() => learner.close());

/** Four prompts of two samples, of 4 to 11 tokens; one of them sampled nothing. */
const samples_GS: Sample[][] = Array.from({ length: 4 }, (_, g) =>
  [0, 1].map((s) => {
    const length = 4 + g * 2 + s;
    return {
      tokens_T: Int32Array.from({ length }, (_, i) => (g * 3 + s * 7 + i * 5) % 11),
      lossMask_T: Uint8Array.from({ length }, (_, i) => Number(i > 1 && i % 4 !== 0 && g + s > 0)),
      rolloutLogp_T: Float32Array.from({ length }, (_, i) => (i > 1 ? -2.2 - i / 50 : Number.NaN)),
      advantages_T: Float32Array.from({ length }, (_, i) => (i > 1 ? g - 1.5 + s : Number.NaN)),
    };
  }),
);
const normalizer = maskedTokens(samples_GS.flat());

type Gradient = Record<string, Float32Array>;

/** The gradient of some sequences, cut into micro-batches. */
async function gradientOf(
  samples: readonly Sample[],
  cut: Sample[][],
  token: TokenLoss = { kind: "regular", clipLow: 0.2, clipHigh: 0.28 },
): Promise<Gradient> {
  const loss: LossSpec = { ...token, entropyCoef: 0.01, normalizer };
  assert.equal(cut.flat().length, samples.length);
  for (const part of cut) {
    const batch = pack(part);
    for (const at of microBatches(batch, 1000)) {
      const terms = { old_N: batch.rolloutLogp_N, weights_N: spread(batch.weights_B, batch.starts_B1) };
      await learner.forwardBackward(nativeBatch(batch, at, terms), loss);
    }
  }
  const gradient = learner.gradients();
  await learner.optimStep({ lr: 0 });
  return gradient;
}

const inPieces = (samples: Sample[], each: number) =>
  Array.from({ length: Math.ceil(samples.length / each) }, (_, i) => samples.slice(i * each, (i + 1) * each));

/** |a - b| / |a| in the Euclidean norm, over all parameters. */
function distance(a: Gradient, b: Gradient): number {
  let [gap, size] = [0, 0];
  for (const [name, x] of Object.entries(a)) {
    for (const [i, value] of x.entries()) {
      gap += (value - b[name]![i]!) ** 2;
      size += value ** 2;
    }
  }
  return Math.sqrt(gap / size);
}

function add(parts: Gradient[]): Gradient {
  const names = Object.keys(parts[0]!);
  return Object.fromEntries(
    names.map((name) => [name, parts[0]![name]!.map((_, i) => parts.reduce((sum, p) => sum + p[name]![i]!, 0))]),
  );
}

const seen: Gradient[] = [];
for (const name of reductions.names()) {
  test(`${name}: micro-batches of 1x8, 2x4, 8x1 and 1, 2, 4 ranks give the same gradient`, async () => {
    const reduction = await reductions.load(name, import.meta.url);
    const samples = reduced(samples_GS, reduction, normalizer, model.maxSeqLen);
    const whole = await gradientOf(samples, [samples]);
    for (const x of Object.values(whole).flatMap((g) => [...g])) assert.ok(Number.isFinite(x));
    for (const each of [1, 4]) assert.ok(distance(whole, await gradientOf(samples, inPieces(samples, each))) < 1e-5);
    for (const world of [2, 4]) {
      const shares: Gradient[] = [];
      for (const share of splitOverRanks(samples, world)) shares.push(await gradientOf(share, inPieces(share, 1)));
      assert.ok(distance(whole, add(shares)) < 1e-5, `${world} ranks`);
    }
    for (const token of [{ kind: "gspo", clipLow: 0.02, clipHigh: 0.02 }, { kind: "cross_entropy" }] as TokenLoss[]) {
      const shares = splitOverRanks(samples, 4);
      const parts: Gradient[] = [];
      for (const share of shares) parts.push(await gradientOf(share, inPieces(share, 1), token));
      assert.ok(distance(await gradientOf(samples, [samples], token), add(parts)) < 1e-5, token.kind);
    }
    for (const other of seen) assert.ok(distance(other, whole) > 1e-3, "reductions differ");
    seen.push(whole);
  });
}
