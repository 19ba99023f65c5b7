import assert from "node:assert/strict";
import test from "node:test";
import { page } from "../src/page.js";
import { pagesShown } from "../src/shown.js";

const items = (n) => Array.from({ length: n }, (_, i) => i + 1);

test("the first, a middle and the last page", () => {
  assert.deepEqual(page(items(21), { size: 10 }), { items: items(10), page: 1, pages: 3, total: 21, previous: null, next: 2 });
  const middle = page(items(21), { size: 10, page: 2 });
  assert.deepEqual([middle.items[0], middle.previous, middle.next], [11, 1, 3]);
  assert.deepEqual(page(items(21), { size: 10, page: 3 }), { items: [21], page: 3, pages: 3, total: 21, previous: 2, next: null });
});

test("an exact fit has no empty page", () => {
  assert.deepEqual([page(items(20), { size: 10 }).pages, page(items(20), { size: 10, page: 2 }).next], [2, null]);
});

test("an empty list", () => {
  assert.deepEqual(page([], { page: "3" }), { items: [], page: 1, pages: 0, total: 0, previous: null, next: null });
});

test("strings, nonsense and bounds", () => {
  assert.deepEqual([page(items(50), { page: "2", size: "5" }).items[0], page(items(50), { page: "2", size: "5" }).next], [6, 3]);
  for (const bad of ["x", "", "0", "-1", "1.5", null, undefined, 0, -3, 2.5, Number.NaN, "1e1x", Number.POSITIVE_INFINITY]) {
    assert.equal(page(items(50), { page: bad }).page, 1, String(bad));
    assert.equal(page(items(50), { size: bad }).items.length, 20, String(bad));
  }
  assert.equal(page(items(500), { size: 1000 }).items.length, 100);
  assert.equal(page(items(21), { size: 10, page: 99 }).page, 3);
});

test("what is shown", () => {
  assert.deepEqual(pagesShown(1, 1), [1]);
  assert.deepEqual(pagesShown(1, 0), []);
  assert.deepEqual(pagesShown(5, 10), [1, null, 4, 5, 6, null, 10]);
  assert.deepEqual(pagesShown(1, 10), [1, 2, null, 10]);
  assert.deepEqual(pagesShown(10, 10), [1, null, 9, 10]);
  assert.deepEqual(pagesShown(3, 5), [1, 2, 3, 4, 5]);
  assert.deepEqual(pagesShown(4, 10), [1, 2, 3, 4, 5, null, 10]);
  assert.deepEqual(pagesShown(7, 10), [1, null, 6, 7, 8, 9, 10]);
});
