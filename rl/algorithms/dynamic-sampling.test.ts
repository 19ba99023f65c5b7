import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DynamicSampling, judgeGroups, repeated } from "./dynamic-sampling.js";

const filter: DynamicSampling = { type: "filter", maxBatches: 3, minReplaceRatio: 0.5 };
const replace: DynamicSampling = { ...filter, type: "replace" };
const scores_GS = [[1, 0], [1, 1], [], [0, 1], [0]];

test("groups without spread, empty ones and singletons teach nothing", () => {
  const verdict = { dull: [1, 2, 4], informative: 2 };
  assert.deepEqual(judgeGroups(scores_GS, 3, filter), { ...verdict, enough: false, missing: 1 });
  assert.deepEqual(judgeGroups(scores_GS, 2, filter), { ...verdict, enough: true, missing: 0 });
  assert.deepEqual(judgeGroups(scores_GS, 4, replace), { ...verdict, enough: true, missing: 2 });
  assert.deepEqual(judgeGroups(scores_GS, 5, replace), { ...verdict, enough: false, missing: 3 });
  assert.equal(judgeGroups([], 1, replace).enough, false);
});

test("what is kept has spread, is never more than wanted, and is all that was wanted once filter is content", () => {
  const groups = fc.array(fc.array(fc.nat(1), { maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 6 }), (scores, wanted) => {
      const { enough, dull } = judgeGroups(scores, wanted, filter);
      const kept = scores.filter((_, g) => !dull.includes(g));
      assert.ok(kept.every((s) => new Set(s).size > 1) && kept.length <= wanted);
      assert.equal(enough, kept.length === wanted);
    }),
  );
});

test("repetition fills the batch evenly and by the seed alone", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(20), fc.nat(), (count, wanted, seed) => {
      const groups = Array.from({ length: count }, (_, i) => i);
      const filled = repeated(groups, wanted, seed);
      assert.equal(filled.length, Math.max(count, wanted));
      assert.deepEqual(filled, repeated(groups, wanted, seed));
      const times = groups.map((g) => filled.filter((x) => x === g).length);
      assert.ok(Math.max(...times) - Math.min(...times) <= 1);
    }),
  );
  assert.deepEqual(repeated([], 3, 1), []);
});
