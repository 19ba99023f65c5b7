import assert from "node:assert/strict";
import test from "node:test";
import { cached } from "../src/cached.js";

test("a value is kept until it is too old", async () => {
  let time = 0;
  let loads = 0;
  const get = cached(async () => ++loads, { ttlMs: 10, now: () => time });
  assert.equal(await get({ id: 1 }), 1);
  time = 9;
  assert.equal(await get({ id: 1 }), 1);
  time = 10;
  assert.equal(await get({ id: 1 }), 2);
});
