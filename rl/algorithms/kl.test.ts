import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { adaptBeta, klEstimators } from "./kl.js";

const { k1, abs, k2, k3 } = klEstimators;

test("each estimate by hand", () => {
  assert.deepEqual([k1(-1, -3), abs(-3, -1), k2(-1, -3)], [2, 2, 2]);
  assert.ok(Math.abs(k3(-1, -3) - (Math.exp(-2) + 2 - 1)) < 1e-12);
  assert.equal(k3(-90, 0), 10); // clamped
});

test("within the clamps their mean over the policy is the divergence for k1 and k3, and each is 0 where the policies agree", () => {
  const probability = fc.double({ min: 0.1, max: 0.9, noNaN: true });
  fc.assert(
    fc.property(probability, probability, (p, q) => {
      const kl = p * Math.log(p / q) + (1 - p) * Math.log((1 - p) / (1 - q));
      for (const k of [k1, k3]) {
        const mean = p * k(Math.log(p), Math.log(q)) + (1 - p) * k(Math.log(1 - p), Math.log(1 - q));
        assert.ok(Math.abs(mean - kl) < 1e-9);
      }
      for (const k of [abs, k2, k3]) assert.ok(k(Math.log(p), Math.log(q)) >= -1e-15); // rounding
      for (const k of Object.values(klEstimators)) assert.equal(k(Math.log(p), Math.log(p)), 0);
    }),
  );
});

test("beta rises above the target, falls below it, and never by more than a fifth of the horizon's share", () => {
  const control = { target: 0.1, horizon: 100 };
  assert.equal(adaptBeta(1, 0.1, 50, control), 1);
  assert.ok(Math.abs(adaptBeta(1, 0.11, 50, control) - 1.05) < 1e-9);
  assert.equal(adaptBeta(1, 9, 50, control), 1.1);
  assert.equal(adaptBeta(1, 0, 50, control), 0.9);
});
