import assert from "node:assert/strict";
import test from "node:test";
import { truncate } from "../src/truncate.js";
import { width } from "../src/width.js";

test("short texts stay", () => {
  assert.equal(truncate("hello", 5), "hello");
  assert.equal(width("hello"), 5);
});
