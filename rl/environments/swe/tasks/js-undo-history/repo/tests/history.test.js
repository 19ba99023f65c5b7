import assert from "node:assert/strict";
import test from "node:test";
import { History } from "../src/history.js";

test("back and forth", () => {
  const history = new History("a");
  history.record("b");
  assert.equal(history.undo(), "a");
  assert.equal(history.redo(), "b");
});
