import assert from "node:assert/strict";
import test from "node:test";
import { add, format, split, splitBy } from "../src/money.js";

test("sums are exact", () => {
  assert.equal(add([0.1, 0.2]), 0.3);
  assert.equal(add([1.1, 2.2, 3.3]), 6.6);
  assert.equal(add([]), 0);
});

test("the first pay a cent more", () => {
  assert.deepEqual(split(10, 3), [3.34, 3.33, 3.33]);
  assert.deepEqual(split(0.05, 3), [0.02, 0.02, 0.01]);
  assert.deepEqual(split(1.1, 1), [1.1]);
  assert.deepEqual(split(4.35, 2), [2.18, 2.17]);
});

test("refunds too", () => {
  assert.deepEqual(split(-10, 3), [-3.34, -3.33, -3.33]);
  assert.deepEqual(splitBy(-1, [1, 1, 1]), [-0.34, -0.33, -0.33]);
});

test("weights add up, leftovers go to the largest remainders", () => {
  assert.deepEqual(splitBy(100, [1, 1, 1]), [33.34, 33.33, 33.33]);
  assert.deepEqual(splitBy(0.05, [1, 1]), [0.03, 0.02]);
  assert.deepEqual(splitBy(10, [1, 2, 3]), [1.67, 3.33, 5]);
  assert.deepEqual(splitBy(0.1, [1, 1, 4]), [0.02, 0.02, 0.06]);
  assert.deepEqual(splitBy(1, [0, 1]), [0, 1]);
});

test("no minus before nothing", () => {
  assert.equal(format(-0.001), "0.00");
  assert.equal(format(-0.01), "-0.01");
  assert.equal(format(1.005), "1.01");
});

test("what cannot be split", () => {
  for (const bad of [() => split(10, 0), () => split(10, 1.5), () => split(10, -1), () => splitBy(1, [0, 0]), () => splitBy(1, [])])
    assert.throws(bad, RangeError);
});
