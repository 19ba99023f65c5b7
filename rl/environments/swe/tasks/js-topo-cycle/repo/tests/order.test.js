import assert from "node:assert/strict";
import test from "node:test";
import { order } from "../src/order.js";

test("a chain is built from its end", () => {
  assert.deepEqual(order({ a: ["b"], b: ["c"], c: [] }), ["c", "b", "a"]);
});
