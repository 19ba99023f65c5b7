import assert from "node:assert/strict";
import test from "node:test";
import { compare, max, sort } from "../src/compare.js";

test("the order of the specification", () => {
  const ordered = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0"];
  assert.deepEqual(sort([...ordered].reverse()), ordered);
});

test("numbers are below words, and compare as numbers", () => {
  assert.ok(compare("1.0.0-rc.10", "1.0.0-rc.9") > 0);
  assert.ok(compare("1.0.0-999", "1.0.0-a") < 0);
  assert.ok(compare("1.0.0-2", "1.0.0-10") < 0);
});

test("words compare by code, dashes and digits are part of them", () => {
  assert.ok(compare("1.0.0-A", "1.0.0-a") < 0);
  assert.ok(compare("1.0.0-x-10", "1.0.0-x-9") < 0);
});

test("build metadata plays no part", () => {
  assert.equal(compare("1.0.0+a", "1.0.0+b"), 0);
  assert.equal(compare("1.0.0-rc+a", "1.0.0-rc"), 0);
});

test("the newest of none is null", () => {
  assert.equal(max([]), null);
  assert.equal(max(["1.0.0-rc", "1.0.0", "0.9.9"]), "1.0.0");
});
