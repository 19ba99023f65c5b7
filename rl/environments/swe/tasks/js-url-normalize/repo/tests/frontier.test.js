import assert from "node:assert/strict";
import test from "node:test";
import { Frontier } from "../src/frontier.js";

test("each page once, without its fragment", () => {
  const frontier = new Frontier();
  assert.equal(frontier.add("http://example.com/a#one"), true);
  assert.equal(frontier.add("http://example.com/a#two"), false);
  assert.equal(frontier.next(), "http://example.com/a");
});
