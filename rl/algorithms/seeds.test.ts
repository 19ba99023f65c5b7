import assert from "node:assert/strict";
import { test } from "node:test";
import { deriveSeed } from "./seeds.js";

test("seeds of different positions differ", () => {
  const seen = new Set<number>();
  for (let step = 0; step < 20; step++)
    for (let group = 0; group < 20; group++)
      for (let turn = 0; turn < 20; turn++) seen.add(deriveSeed(7, step, group, turn));
  assert.equal(seen.size, 8000);
  assert.equal(deriveSeed(1, 2, 3), deriveSeed(1, 2, 3));
});
