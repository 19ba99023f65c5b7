import assert from "node:assert/strict";
import test from "node:test";
import { RateLimiter } from "../src/limiter.js";

test("clients are counted apart", () => {
  const limiter = new RateLimiter({ limit: 1, windowMs: 1_000, clock: { now: () => 0 } });
  assert.equal(limiter.take("a").accepted, true);
  assert.equal(limiter.take("a").accepted, false);
  assert.equal(limiter.take("b").accepted, true);
});
