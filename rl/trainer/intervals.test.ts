import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seededRandom } from "../environments/random.js";
import { scoresOf } from "./evaluate.js";
import { estimate, ksOf, pairedDifference, passAtK, wilson } from "./intervals.js";

/** Of all subsets of k samples, the share with one that is right. */
function byCounting(n: number, right: number, k: number): number {
  let [hit, all] = [0, 0];
  for (let set = 0; set < 2 ** n; set++) {
    const chosen = [...Array(n).keys()].filter((i) => (set >> i) & 1);
    if (chosen.length !== k) continue;
    all++;
    if (chosen.some((i) => i < right)) hit++;
  }
  return hit / all;
}

test("pass@k is the share of the subsets of k samples in which one is right", () => {
  const n = 8;
  for (let right = 0; right <= n; right++) {
    for (const k of ksOf(n)) assert.ok(Math.abs(passAtK(n, right, k) - byCounting(n, right, k)) < 1e-12);
  }
  assert.deepEqual(ksOf(6), [1, 2, 4, 6]);
  assert.ok(passAtK(10_000, 3, 5000) < 1); // no factorial of it overflows
});

test("successes have Wilson's interval, other values one by bootstrap that holds the mean", () => {
  const { low, high } = wilson(0, 10);
  assert.deepEqual([low, Number(high.toFixed(4))], [0, 0.2775]); // Wilson 1927; R: binom.confint(0, 10, methods = "wilson")
  assert.deepEqual(estimate([1, 0, 1, 1]), wilson(3, 4));
  fc.assert(
    fc.property(fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 40 }), (values) => {
      const e = estimate(values);
      assert.ok(e.low <= e.mean + 1e-9 && e.mean <= e.high + 1e-9);
      assert.deepEqual(estimate(values), e);
    }),
    { numRuns: 20 },
  );
});

test("a 95 % interval holds the true mean in about 95 of 100 draws", () => {
  const dice = seededRandom(1);
  let held = 0;
  for (let i = 0; i < 300; i++) {
    const { low, high } = estimate(Array.from({ length: 40 }, () => dice() ** 2));
    held += Number(low <= 1 / 3 && 1 / 3 <= high);
  }
  assert.ok(held / 300 > 0.9 && held / 300 < 0.985, `${held} of 300`);
});

test("a paired difference is of the tasks that both have, and narrower than the spread of the tasks", () => {
  const before = new Map(Array.from({ length: 50 }, (_, i) => [String(i), i / 50]));
  const after = new Map([...before].map(([task, score]) => [task, score + 0.1]));
  after.delete("0");
  const { tasks, mean, low, high } = pairedDifference(before, after);
  assert.equal(tasks, 49);
  assert.ok(Math.abs(mean - 0.1) < 1e-9 && high - low < 1e-9);
});

test("samples that could not be played have no score, and a task weighs the same with fewer of them", () => {
  const { tasks, failed, success, passAt } = scoresOf([
    { failed: 0, solved: [1, 0, 0, 0], rewards: [1, 0, 0, 0] },
    { failed: 2, solved: [1, 1], rewards: [1, 1] },
    { failed: 4, solved: [], rewards: [] },
  ]);
  assert.deepEqual([tasks, failed, success.mean], [2, 6, 0.625]);
  assert.deepEqual(
    Object.entries(passAt).map(([k, { mean }]) => [k, mean]),
    [
      ["1", 0.625],
      ["2", 0.75],
      ["4", 1],
    ],
  );
});
