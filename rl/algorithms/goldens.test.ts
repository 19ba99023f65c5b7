import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { advantages, type ScoredSample } from "./advantages.js";
import { type Correction, correctionWeights } from "./corrections.js";
import { klEstimators } from "./kl.js";
import { reductions } from "./reductions.js";
import { generalizedAdvantages } from "./token-advantages.js";

// goldens/make.py computes them in torch, in fp64, over padded tensors.
type Padded = number[][];
interface Expected {
  groups: number[];
  lengths: number[];
  turns: [number, number][][];
  gamma: number;
  lambda: number;
  maxSeqLen: number;
  mask: Padded;
  rewards: Padded;
  values: Padded;
  old: Padded;
  rollout: Padded;
  logp: Padded;
  advantages: Record<string, Padded>;
  returns: Padded;
  corrections: Record<string, Padded>;
  gradients: Record<string, Padded>;
  kl: Record<"logp" | "ref" | keyof typeof klEstimators, number[]>;
}

const file = new URL("../../../rl/algorithms/goldens/expected.json", import.meta.url);
const expected = JSON.parse(readFileSync(file, "utf8")) as Expected;
const { lengths, mask, groups } = expected;
const options = { normByStd: true, gamma: expected.gamma, lambda: expected.lambda };

/** Without the padding, and with NaN where the mask is 0. */
const dirty = (rows: Padded) =>
  rows.map((row, b) => Float32Array.from({ length: lengths[b]! }, (_, t) => (mask[b]![t] ? row[t]! : Number.NaN)));
const masks = mask.map((row, b) => Uint8Array.from(row.slice(0, lengths[b])));

const samples: ScoredSample[] = dirty(expected.rewards).map((rewards_T, b) => ({
  score: expected.rewards[b]!.reduce((sum, r) => sum + r, 0),
  rewards_T,
  lossMask_T: masks[b]!,
  turns: expected.turns[b]!.map(([start, end]) => ({ start, end })),
  values_T: dirty(expected.values)[b]!,
}));
const samples_GS = [...new Set(groups)].map((g) => samples.filter((_, b) => groups[b] === g));

function near(actual: readonly ArrayLike<number>[], wanted: Padded, what: string, tolerance = 1e-5): void {
  for (const [b, row] of actual.entries()) {
    assert.equal(row.length, lengths[b]);
    for (let t = 0; t < row.length; t++) {
      const gap = Math.abs(row[t]! - wanted[b]![t]!);
      assert.ok(gap <= tolerance * Math.max(1, Math.abs(wanted[b]![t]!)), `${what}[${b}][${t}]: ${row[t]}`);
    }
  }
}

const computed = advantages.names().filter((name) => name !== "none"); // which is 0
for (const name of computed) {
  test(`${name} agrees with torch`, async () => {
    const estimate = await advantages.load(name, import.meta.url);
    near(estimate(samples_GS, options).flat(), expected.advantages[name]!, name);
  });
}

test("gae's returns agree with torch", () => {
  const returns = samples.map((sample) => generalizedAdvantages(sample, options.gamma, options.lambda).returns_T);
  near(returns, expected.returns, "returns");
});

const token = { low: 0.7, high: 1.5 };
const settings: Record<string, Correction> = {
  outlier_mask: { kind: "outlier_mask", low: 0.5, high: 2.5 },
  icepop: { kind: "icepop", ...token },
  mis_token: { kind: "mis", level: "token", ...token },
  mis_sequence: { kind: "mis", level: "sequence", ...token },
  tis_token: { kind: "tis", level: "token", cap: 1.25 },
  tis_sequence: { kind: "tis", level: "sequence", cap: 1.25 },
  geometric_mask: { kind: "geometric_mask", low: 0.9, high: 1.1 },
};
const named = (...names: string[]) => names.map((name) => settings[name]!);

/** Weights by sequence. */
function corrected(wanted: readonly Correction[]): Float32Array[] {
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  const flat = (rows: Float32Array[]) => Float32Array.from(rows.flatMap((row) => [...row]));
  const mask_N = Uint8Array.from(masks.flatMap((row) => [...row]));
  const [old_N, rollout_N] = [flat(dirty(expected.old)), flat(dirty(expected.rollout))];
  const weights_N = correctionWeights(old_N, rollout_N, mask_N, Int32Array.from(starts), wanted);
  return lengths.map((length, b) => weights_N.subarray(starts[b]!, starts[b]! + length));
}

for (const name of [...Object.keys(settings), "all"]) {
  test(`the correction ${name} agrees with torch`, () => {
    const wanted = name === "all" ? named("geometric_mask", "tis_token", "mis_token", "outlier_mask") : named(name);
    near(corrected(wanted), expected.corrections[name]!, name);
  });
}

for (const name of reductions.names()) {
  test(`${name}: weights in the advantages give autograd's gradient of the clipped loss, corrections included`, async () => {
    const reduction = await reductions.load(name, import.meta.url);
    const tokens_B = masks.map((row) => row.reduce((n, m) => n + m, 0));
    const weights_B = reduction({ tokens_B, prompts_B: groups, maxSeqLen: expected.maxSeqLen });
    const tis = corrected(named("tis_token"));
    const gradients = masks.map((row, b) =>
      [...row].map((m, t) => {
        if (!m) return 0;
        const advantage = expected.advantages["grpo"]![b]![t]! * weights_B[b]! * tis[b]![t]!;
        const ratio = Math.exp(expected.logp[b]![t]! - expected.old[b]![t]!);
        const clipped = advantage > 0 ? ratio > 1.28 : ratio < 0.8;
        return clipped ? 0 : -ratio * advantage;
      }),
    );
    near(gradients, expected.gradients[name]!, name, 1e-6);
  });
}

test("divergence estimates agree with torch", () => {
  const { logp, ref, ...wanted } = expected.kl;
  for (const [name, values] of Object.entries(wanted)) {
    for (const [i, value] of values.entries()) {
      const got = klEstimators[name as keyof typeof klEstimators](logp[i]!, ref[i]!);
      assert.ok(Math.abs(got - value) < 1e-9, `${name}(${logp[i]}, ${ref[i]}) is ${got}`);
    }
  }
});
