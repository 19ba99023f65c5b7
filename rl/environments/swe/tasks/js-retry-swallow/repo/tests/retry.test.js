import assert from "node:assert/strict";
import test from "node:test";
import { retry } from "../src/retry.js";

test("a success is passed on", async () => {
  assert.equal(await retry(async (attempt) => attempt), 1);
});

test("a later success is passed on", async () => {
  const flaky = async (attempt) => (attempt < 3 ? Promise.reject(new Error("no")) : attempt);
  assert.equal(await retry(flaky, { wait: async () => {} }), 3);
});
