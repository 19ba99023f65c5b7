import assert from "node:assert/strict";
import test from "node:test";
import { table } from "../src/table.js";

test("one row", () => {
  assert.deepEqual(table([["a", "b"]]), ["a  b"]);
});
