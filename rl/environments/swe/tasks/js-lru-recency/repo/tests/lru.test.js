import assert from "node:assert/strict";
import test from "node:test";
import { Lru } from "../src/lru.js";

test("holds no more than its limit", () => {
  const lru = new Lru(2);
  lru.set("a", 1).set("b", 2).set("c", 3);
  assert.equal(lru.size, 2);
  assert.equal(lru.get("a"), undefined);
});
