import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mismatch, quantiles } from "./mismatch.js";

test("gaps are of masked tokens only, whatever lies elsewhere", () => {
  const [old, rollout] = [Float32Array.of(0, -1, -1, -2), Float32Array.of(Number.NaN, -1, -3, -1)];
  assert.deepEqual([...mismatch(old, rollout, Uint8Array.of(0, 1, 1, 1))], [0, 2, 1]);
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
