import assert from "node:assert/strict";
import test from "node:test";
import { Heap } from "../src/heap.js";

const drain = (heap) => Array.from({ length: heap.size }, () => heap.pop());

test("the order holds after any removal", () => {
  const numbers = [0, 100, 1, 110, 120, 2, 3, 130, 140, 150, 160, 4, 5, 6, 7];
  for (const gone of numbers) {
    const heap = new Heap();
    for (const n of numbers) heap.push(n);
    assert.equal(heap.remove(gone), true);
    assert.deepEqual(drain(heap), numbers.filter((n) => n !== gone).sort((a, b) => a - b), `without ${gone}`);
  }
});

test("removing the last one, and what is not there", () => {
  const heap = new Heap();
  heap.push(1);
  heap.push(2);
  assert.equal(heap.remove(2), true);
  assert.equal(heap.size, 1);
  assert.equal(heap.remove(7), false);
  assert.deepEqual(drain(heap), [1]);
  assert.equal(heap.pop(), undefined);
  assert.equal(heap.size, 0);
});

const items = (...keys) => keys.map((key, i) => ({ key, name: "abcdefghij"[i] }));
const heapOf = (all) => {
  const heap = new Heap((a, b) => a.key - b.key);
  for (const item of all) heap.push(item);
  return heap;
};
const names = (heap) => drain(heap).map(({ name }) => name).join("");

test("equal items come out in the order they went in", () => {
  assert.equal(names(heapOf(items(1, 1, 1, 1, 1, 1))), "abcdef");
  assert.equal(names(heapOf(items(2, 1, 2, 1, 2, 1))), "bdface");
});

test("update moves an item up or down", () => {
  const all = items(1, 2, 3, 4, 5);
  const heap = heapOf(all);
  all[4].key = 0;
  assert.equal(heap.update(all[4]), true);
  all[0].key = 9;
  assert.equal(heap.update(all[0]), true);
  assert.equal(names(heap), "ebcda");
  assert.equal(heap.update(all[0]), false);
});

test("an update keeps the order of equal ones", () => {
  const all = items(1, 5, 5);
  const heap = heapOf(all);
  all[0].key = 5;
  heap.update(all[0]);
  assert.equal(names(heap), "abc");
});

test("the order of equal ones survives removals", () => {
  const all = items(1, 1, 1, 1, 1, 1, 1);
  const heap = heapOf(all);
  heap.remove(all[1]);
  heap.pop();
  assert.equal(names(heap), "cdefg");
});
