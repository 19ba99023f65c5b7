import assert from "node:assert/strict";
import test from "node:test";
import { poll } from "../src/poll.js";

test("it asks at once", async () => {
  const seen = [];
  const clock = { setTimeout: () => 1, clearTimeout: () => {} };
  const polling = poll(async () => "x", { everyMs: 10, onValue: (value) => seen.push(value), clock });
  await new Promise(setImmediate);
  polling.stop();
  assert.deepEqual(seen, ["x"]);
});
