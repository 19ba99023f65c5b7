import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mismatch, quantiles, truncatedWeights } from "./off-policy.js";
import { reductions } from "./reductions.js";
import { deriveSeed } from "./seeds.js";

const off = { tis: "token", tokenCap: 2, sequenceCap: 5 } as const;
const old_N = Float32Array.of(0, -1, -1, -2);
const rollout_N = Float32Array.of(0, -1, -3, -1);
const mask_N = Uint8Array.of(0, 1, 1, 1);
const starts_B1 = Int32Array.of(0, 3, 4);

test("token weights are capped ratios, 1 where the mask is 0", () => {
  const w = truncatedWeights(old_N, rollout_N, mask_N, starts_B1, off);
  assert.deepEqual(
    [...w].map((x) => x.toFixed(4)),
    ["1.0000", "1.0000", "2.0000", "0.3679"],
  );
});

test("sequence weights are the capped product of the sequence's ratios", () => {
  const w = truncatedWeights(old_N, rollout_N, mask_N, starts_B1, { ...off, tis: "sequence" });
  assert.deepEqual(
    [...w].map((x) => x.toFixed(4)),
    ["1.0000", "5.0000", "5.0000", "0.3679"],
  );
});

test("a NaN at a masked position never reaches a weight or a quantile", () => {
  const dirty = Float32Array.of(Number.NaN, -1, -3, -1);
  assert.ok(truncatedWeights(old_N, dirty, mask_N, starts_B1, { ...off, tis: "sequence" }).every(Number.isFinite));
  assert.deepEqual([...mismatch(old_N, dirty, mask_N)], [0, 2, 1]);
});

test("quantiles of nothing are zero, and do not depend on how the values are split", () => {
  assert.deepEqual(quantiles([]), { p50: 0, p90: 0, p99: 0, max: 0 });
  fc.assert(
    fc.property(fc.array(fc.float({ min: 0, max: 9, noNaN: true }), { minLength: 1 }), fc.nat(), (x, cut) => {
      const at = cut % x.length;
      const whole = quantiles([Float32Array.from(x)]);
      assert.deepEqual(quantiles([Float32Array.from(x.slice(0, at)), Float32Array.from(x.slice(at))]), whole);
      assert.equal(whole.max, Math.fround(Math.max(...x)));
    }),
  );
});

test("normalizers belong to the whole mini-batch and are never zero", () => {
  assert.equal(reductions.token_mean({ tokens: 7, sequences: 2, maxSeqLen: 9 }), 7);
  assert.equal(reductions.token_mean({ tokens: 0, sequences: 0, maxSeqLen: 9 }), 1);
  assert.equal(reductions.seq_mean_token_sum_norm({ tokens: 7, sequences: 2, maxSeqLen: 9 }), 18);
});

test("seeds of different positions differ", () => {
  const seen = new Set<number>();
  for (let step = 0; step < 20; step++)
    for (let group = 0; group < 20; group++)
      for (let turn = 0; turn < 20; turn++) seen.add(deriveSeed(7, step, group, turn));
  assert.equal(seen.size, 8000);
  assert.equal(deriveSeed(1, 2, 3), deriveSeed(1, 2, 3));
});
