import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { advantages, hasSpread, ofScores } from "./advantages.js";
import { scoreOf } from "./rewards.js";
import { drGrpo, grpo, maxrl, rloo } from "./score-advantages.js";

const byStd = { normByStd: true, gamma: 1, lambda: 1 };
const near = (actual: number[], expected: number[]) => {
  assert.equal(actual.length, expected.length);
  for (const [i, x] of actual.entries()) assert.ok(Math.abs(x - expected[i]!) < 1e-9, `${actual} is not ${expected}`);
};

test("grpo centres on the group's mean and divides by the unbiased std", () => {
  // mean 0.25, unbiased std 0.5
  near(grpo([1, 0, 0, 0], byStd), [0.75 / 0.500001, -0.25 / 0.500001, -0.25 / 0.500001, -0.25 / 0.500001]);
  near(grpo([1, 0, 0, 0], { ...byStd, normByStd: false }), [0.75, -0.25, -0.25, -0.25]);
});

test("a group of one has mean 0 and std 1 in grpo, and no advantage in rloo and dr_grpo", () => {
  near(grpo([2], byStd), [2 / 1.000001]);
  near(rloo([2], byStd), [0]);
  near(drGrpo([2], byStd), [0]);
});

test("rloo's baseline is the mean of the others", () => {
  near(rloo([3, 1, 2], byStd), [3 - 1.5, 1 - 2.5, 2 - 2]);
});

test("maxrl divides by the group's mean: the rarer the success, the more it weighs", () => {
  near(maxrl([1, 0, 0, 0], byStd), [0.75 / 0.250001, -0.25 / 0.250001, -0.25 / 0.250001, -0.25 / 0.250001]);
  near(maxrl([0, 0], byStd), [0, 0]);
  near(maxrl([1], byStd), [0]);
});

test("a score's advantage lies on the sampled tokens, and a response without any gets none", () => {
  const sample = (mask: number[], reward: number) =>
    scoreOf({ lossMask_T: Uint8Array.from(mask), turns: [{ start: 1, end: mask.length, reward }] });
  const group = [sample([0, 1, 1, 0, 1], 3), sample([0, 0], 1), sample([], 2)];
  assert.deepEqual(
    ofScores(rloo)([group, []], byStd).map((g) => g.map((a) => [...a])),
    [[[0, 1.5, 1.5, 0, 1.5], [0, 0], []], []],
  );
});

test("an empty group has no advantages", () => {
  for (const estimator of [grpo, drGrpo, rloo, maxrl]) assert.deepEqual(estimator([], byStd), []);
});

test("a group without spread has no gradient and says so", () => {
  near(grpo([1, 1, 1], byStd), [0, 0, 0]);
  assert.equal(hasSpread([1, 1, 1]), false);
  assert.equal(hasSpread([]), false);
  assert.equal(hasSpread([1, 0]), true);
});

test("advantages of a group of two or more sum to zero and do not depend on a constant added to all scores", () => {
  const scores = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 16 });
  fc.assert(
    fc.property(scores, fc.integer({ min: -9, max: 9 }), (s, shift) => {
      for (const estimator of [grpo, drGrpo, rloo]) {
        const plain = estimator(s, byStd);
        const shifted = estimator(
          s.map((x) => x + shift),
          byStd,
        );
        assert.ok(Math.abs(plain.reduce((a, b) => a + b, 0)) < 1e-6);
        for (const [i, x] of plain.entries()) assert.ok(Math.abs(x - shifted[i]!) < 1e-6);
      }
    }),
  );
});

test("an unknown estimator is refused with the nearest name", async () => {
  await assert.rejects(
    advantages.load("grop", import.meta.url),
    /no advantage estimator is named grop: did you mean grpo\?/,
  );
});
