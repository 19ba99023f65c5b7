import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../src/emitter.js";

test("listeners get the arguments in order of subscription", () => {
  const heard = [];
  const emitter = new Emitter().on("a", (x) => heard.push(x)).on("a", (x) => heard.push(-x));
  assert.equal(emitter.emit("a", 1), true);
  assert.equal(emitter.emit("b"), false);
  assert.deepEqual(heard, [1, -1]);
});
