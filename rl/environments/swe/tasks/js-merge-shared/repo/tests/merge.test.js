import assert from "node:assert/strict";
import test from "node:test";
import { merge } from "../src/merge.js";

test("later layers win, objects are merged", () => {
  assert.deepEqual(merge({ a: 1, b: { c: 1, d: 1 } }, { b: { c: 2 } }, undefined), { a: 1, b: { c: 2, d: 1 } });
});

test("arrays are replaced", () => {
  assert.deepEqual(merge({ a: [1, 2] }, { a: [3] }), { a: [3] });
});
