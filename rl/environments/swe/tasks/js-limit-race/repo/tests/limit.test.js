import assert from "node:assert/strict";
import test from "node:test";
import { mapLimited } from "../src/map.js";

test("results keep the order of the items", async () => {
  assert.deepEqual(await mapLimited([3, 1, 2], 2, async (n) => n * 2), [6, 2, 4]);
});
