import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "../trajectories/trajectory.js";
import { maskOlder } from "./masking.js";

test("tokens of older weights stay, out of the loss; the others keep their place in it", () => {
  const mixed = {
    tokens_T: Int32Array.of(1, 2, 3, 4, 5),
    lossMask_T: Uint8Array.of(0, 1, 1, 0, 1),
    versions_T: Uint32Array.of(0, 3, 4, 0, 5),
  } as Trajectory;
  assert.deepEqual([...maskOlder(mixed, 4).lossMask_T], [0, 0, 1, 0, 1]);
  assert.deepEqual(maskOlder(mixed, 4).tokens_T, mixed.tokens_T);
  assert.equal(maskOlder(mixed, 3), mixed);
});
