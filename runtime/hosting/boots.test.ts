import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Boots } from "./boots.js";

test("turns are given to so many at once, in the order asked for, and each ends once", async () => {
  const boots = new Boots(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, async (_, i) => {
    const end = await boots.enter();
    begun.push(i);
    return end;
  });
  await setImmediate();
  assert.deepEqual(begun, [0, 1]);
  const end = await ends[1]!;
  end();
  end();
  await setImmediate();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const each of [ends[0]!, ends[2]!]) (await each)();
  await setImmediate();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});
