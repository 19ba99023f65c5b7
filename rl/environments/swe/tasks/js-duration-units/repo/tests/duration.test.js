import assert from "node:assert/strict";
import test from "node:test";
import { format, parse } from "../src/duration.js";

test("parts add up", () => {
  assert.equal(parse("1h30m"), 5_400_000);
  assert.equal(parse("250"), 250);
  assert.equal(format(5_400_000), "1h30m");
});
