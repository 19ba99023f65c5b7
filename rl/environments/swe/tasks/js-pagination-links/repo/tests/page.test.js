import assert from "node:assert/strict";
import test from "node:test";
import { page } from "../src/page.js";

test("the total is told", () => {
  assert.equal(page(["a", "b"], {}).total, 2);
});
