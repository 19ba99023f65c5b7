import assert from "node:assert/strict";
import test from "node:test";
import { Router } from "../src/router.js";

test("parameters are named", () => {
  const router = new Router().add("GET", "/users/:id", "show");
  assert.deepEqual(router.find("GET", "/users/7"), { handler: "show", params: { id: "7" } });
  assert.equal(router.find("POST", "/users/7"), null);
  assert.equal(router.find("GET", "/users"), null);
});
