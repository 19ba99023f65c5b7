import assert from "node:assert/strict";
import { test } from "node:test";
import { TellFailures } from "./tell-failures.js";

test("the first failure is told at once, a flood of them once a second with its number", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const said: string[] = [];
  const tells = new TellFailures((text) => said.push(text));
  const first = "f.tell failed: [USER_ERROR] bad 0";
  for (let i = 0; i < 100; i++) tells.failed("f", new Error(`bad ${i}`));
  assert.deepEqual(said, [first]);
  t.mock.timers.tick(1_000);
  assert.deepEqual(said, [first, "f.tell failed: [USER_ERROR] bad 99 (and 98 more)"]);
  tells.failed("g", "late");
  assert.equal(said.length, 2, "the second that follows is quiet again");
  tells.close();
  assert.equal(said.at(-1), "g.tell failed: [USER_ERROR] late");
  t.mock.timers.tick(5_000);
  assert.equal(said.length, 3);
  tells.failed("f", "x");
  assert.equal(said.length, 4, "after a quiet time it is told at once");
});
