import assert from "node:assert/strict";
import test from "node:test";
import { inline } from "../src/inline.js";

test("simple marks", () => {
  assert.equal(inline("a *b* **c** `d`"), "a <em>b</em> <strong>c</strong> <code>d</code>");
});
