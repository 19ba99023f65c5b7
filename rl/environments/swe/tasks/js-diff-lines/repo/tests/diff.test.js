import assert from "node:assert/strict";
import test from "node:test";
import { diff } from "../src/diff.js";

test("lines at the end", () => {
  assert.deepEqual(diff(["a"], ["a", "b"]), [{ type: "same", line: "a" }, { type: "add", line: "b" }]);
  assert.deepEqual(diff([], []), []);
});
