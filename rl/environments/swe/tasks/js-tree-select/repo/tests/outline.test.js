import assert from "node:assert/strict";
import test from "node:test";
import { Outline } from "../src/outline.js";
import { toText } from "../src/text.js";

test("items in a row", () => {
  const outline = new Outline();
  outline.add("a");
  outline.add("b");
  assert.equal(toText(outline), "a\nb");
});
