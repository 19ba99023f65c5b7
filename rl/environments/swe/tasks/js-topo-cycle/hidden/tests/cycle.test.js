import assert from "node:assert/strict";
import test from "node:test";
import { order } from "../src/order.js";

test("diamonds", () => {
  assert.deepEqual(order({ app: ["lib", "ui"], ui: ["lib"], lib: [] }), ["lib", "ui", "app"]);
  assert.deepEqual(order({ d: ["b", "c"], b: ["a"], c: ["a"], a: [] }), ["a", "b", "c", "d"]);
});

test("independent targets keep their order", () => {
  assert.deepEqual(order({ x: [], y: [], z: ["x"] }), ["x", "y", "z"]);
});

test("a dependency without an entry is a leaf", () => {
  assert.deepEqual(order({ a: ["zlib"] }), ["zlib", "a"]);
  assert.deepEqual(order({ a: ["constructor"] }), ["constructor", "a"]);
});

test("a cycle is named from its first member", () => {
  assert.throws(() => order({ a: ["b"], b: ["c"], c: ["a"] }), { message: "cycle: a -> b -> c -> a" });
  assert.throws(() => order({ start: ["c"], a: ["b"], b: ["c"], c: ["a"] }), { message: "cycle: a -> b -> c -> a" });
  assert.throws(() => order({ me: ["me"] }), { message: "cycle: me -> me" });
});

test("two ways to a node are no cycle", () => {
  assert.doesNotThrow(() => order({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }));
});

test("deep graphs are no problem", () => {
  const deep = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`n${i}`, i < 2_999 ? [`n${i + 1}`] : []]));
  assert.equal(order(deep).at(0), "n2999");
});
