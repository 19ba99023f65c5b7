import assert from "node:assert/strict";
import test from "node:test";
import { compare, sort } from "../src/compare.js";

test("numbers count as numbers", () => {
  assert.deepEqual(sort(["1.10.0", "1.9.0", "v0.1.0"]), ["v0.1.0", "1.9.0", "1.10.0"]);
  assert.equal(compare("1.0.0", "v1.0.0"), 0);
});
