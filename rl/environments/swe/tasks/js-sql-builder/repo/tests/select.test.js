import assert from "node:assert/strict";
import test from "node:test";
import { select } from "../src/select.js";

test("parameters are collected", () => {
  assert.deepEqual(select("users").where({ id: 5 }).build().params, [5]);
});
