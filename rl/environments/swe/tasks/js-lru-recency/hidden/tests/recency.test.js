import assert from "node:assert/strict";
import test from "node:test";
import { Lru } from "../src/lru.js";

test("a read keeps an entry", () => {
  const lru = new Lru(2);
  lru.set("a", 1).set("b", 2);
  lru.get("a");
  lru.set("c", 3);
  assert.deepEqual(lru.keys(), ["a", "c"]);
});

test("a write renews an entry and drops none", () => {
  const lru = new Lru(2);
  lru.set("a", 1).set("b", 2).set("a", 3);
  assert.deepEqual(lru.keys(), ["b", "a"]);
  assert.equal(lru.get("a"), 3);
});

test("falsy values are entries", () => {
  const lru = new Lru(2);
  lru.set("a", undefined).set("b", 0);
  assert.equal(lru.get("a"), undefined);
  assert.deepEqual(lru.keys(), ["b", "a"]);
  lru.get("b");
  lru.set("c", 1);
  assert.deepEqual(lru.keys(), ["b", "c"]);
});

test("a miss stores nothing", () => {
  const lru = new Lru(2);
  lru.get("x");
  assert.equal(lru.size, 0);
});

test("peek and has do not count", () => {
  const lru = new Lru(2);
  lru.set("a", 1).set("b", 2);
  lru.peek("a");
  lru.has("a");
  lru.set("c", 3);
  assert.deepEqual(lru.keys(), ["b", "c"]);
});
