import assert from "node:assert/strict";
import test from "node:test";
import { search } from "../src/search.js";

const documents = ["apple pie", "apple tart", "plum tart"];

test("words and groups", () => {
  assert.deepEqual(search("apple", documents), ["apple pie", "apple tart"]);
  assert.deepEqual(search("(apple or plum) and tart", documents), ["apple tart", "plum tart"]);
  assert.deepEqual(search("not apple", documents), ["plum tart"]);
});
