import assert from "node:assert/strict";
import test from "node:test";
import { Heap } from "../src/heap.js";

test("numbers come out in order", () => {
  const heap = new Heap();
  for (const n of [5, 1, 4, 2]) heap.push(n);
  assert.deepEqual([heap.pop(), heap.pop(), heap.pop(), heap.pop()], [1, 2, 4, 5]);
});
