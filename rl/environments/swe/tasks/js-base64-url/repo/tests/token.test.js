import assert from "node:assert/strict";
import test from "node:test";
import { sign, verify } from "../src/token.js";

test("a token is read back with its key", () => {
  assert.deepEqual(verify(sign({ id: 1 }, "key"), "key"), { id: 1 });
  assert.equal(verify(sign({ id: 1 }, "key"), "other"), null);
});
