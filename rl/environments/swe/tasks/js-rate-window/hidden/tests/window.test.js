import assert from "node:assert/strict";
import test from "node:test";
import { RateLimiter } from "../src/limiter.js";

function limiterAt(limit, windowMs) {
  const clock = { at: 0, now: () => clock.at };
  const limiter = new RateLimiter({ limit, windowMs, clock });
  const at = (ms, client = "a") => {
    clock.at = ms;
    return limiter.take(client);
  };
  return { limiter, at };
}

test("the window slides", () => {
  const { at } = limiterAt(2, 1_000);
  assert.deepEqual([900, 950, 1_050, 1_899, 1_900, 1_949, 1_950].map((ms) => at(ms).accepted), [true, true, false, false, true, false, true]);
});

test("refused requests do not count", () => {
  const { at } = limiterAt(1, 100);
  at(0);
  for (let ms = 1; ms < 100; ms++) assert.equal(at(ms).accepted, false);
  assert.equal(at(100).accepted, true);
});

test("it says how long to wait", () => {
  const { at } = limiterAt(2, 1_000);
  assert.equal(at(0).retryMs, 0);
  at(300);
  assert.deepEqual(at(400), { accepted: false, retryMs: 600 });
  assert.deepEqual(at(1_000), { accepted: true, retryMs: 0 });
  assert.deepEqual(at(1_001), { accepted: false, retryMs: 299 });
});

test("clients are forgotten", () => {
  const { limiter, at } = limiterAt(5, 1_000);
  for (let i = 0; i < 100; i++) at(i, `client ${i}`);
  assert.equal(limiter.size, 100);
  at(1_050, "other");
  assert.equal(limiter.size, 50);
  at(5_000, "other");
  assert.equal(limiter.size, 1);
});

test("one that keeps coming is not forgotten", () => {
  const { limiter, at } = limiterAt(2, 1_000);
  at(0, "a");
  at(10, "b");
  at(900, "a");
  at(1_020, "c");
  assert.equal(limiter.size, 2);
  assert.equal(at(1_030, "a").accepted, true);
  assert.equal(at(1_040, "a").accepted, false);
});

test("a limit of 0 refuses all and holds nobody", () => {
  const { limiter, at } = limiterAt(0, 1_000);
  assert.equal(at(0).accepted, false);
  assert.equal(limiter.size, 0);
});
