import assert from "node:assert/strict";
import test from "node:test";
import { format, split, splitBy } from "../src/money.js";

test("even splits", () => {
  assert.deepEqual(split(9, 3), [3, 3, 3]);
  assert.deepEqual(splitBy(30, [1, 2]), [10, 20]);
  assert.equal(format(1234.5), "1234.50");
});
