import assert from "node:assert/strict";
import { test } from "node:test";
import { ActorsError } from "./errors.js";
import { Meter } from "./meter.js";

test("a meter counts what failed, and keeps the last five errors in order", () => {
  const meter = new Meter();
  for (let i = 0; i < 7; i++) meter.fail("go", ActorsError.from(new Error(`no ${i}`)));
  assert.equal(meter.failed, 7);
  assert.deepEqual(
    meter.errors.map((e) => [e.method, e.code, e.message]),
    [2, 3, 4, 5, 6].map((i) => ["go", "USER_ERROR", `no ${i}`]),
  );
});

test("the median is of the last 64 handlers that were timed", () => {
  const meter = new Meter();
  assert.equal(meter.medianMs, null);
  for (let i = 0; i < 64; i++) meter.took(9_000);
  for (let i = 0; i < 64; i++) meter.took(i < 30 ? 1_000 : 3_000);
  assert.equal(meter.medianMs, 3_000);
  assert.equal(meter.busyMs, 64 * 9_000 + 30 * 1_000 + 34 * 3_000);
});
