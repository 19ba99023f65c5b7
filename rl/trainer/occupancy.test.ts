import assert from "node:assert/strict";
import { test } from "node:test";
import { OccupancyClock } from "./occupancy.js";

test("idle seconds are averaged over the workers, and tasks that queue make none busier than busy", () => {
  let now = 0;
  const clock = new OccupancyClock(4, () => now);
  clock.add(3);
  now = 2000; // one of four idle for 2 s
  clock.add(5);
  now = 5000; // all busy, four waiting
  clock.add(-8);
  now = 6000; // all idle for 1 s
  assert.equal(clock.take(), 0.5 + 0 + 1);
  assert.equal(clock.take(), 0);
});
