import assert from "node:assert/strict";
import test from "node:test";
import { Router } from "../src/router.js";

const names = (router, path) => router.find("GET", path)?.handler ?? null;

test("a literal wins over a parameter, which wins over a star", () => {
  const router = new Router().add("GET", "/*", "star").add("GET", "/users/:id", "show").add("GET", "/users/me", "me");
  assert.equal(names(router, "/users/me"), "me");
  assert.equal(names(router, "/users/7"), "show");
  assert.equal(names(router, "/other"), "star");
});

test("a less specific route is found when the specific one leads nowhere", () => {
  const router = new Router().add("GET", "/users/me", "me").add("GET", "/users/:id/photos", "photos");
  assert.deepEqual(router.find("GET", "/users/me/photos"), { handler: "photos", params: { id: "me" } });
});

test("the first segment decides before the second", () => {
  const router = new Router().add("GET", "/:org/settings", "settings").add("GET", "/acme/:page", "page");
  assert.equal(names(router, "/acme/settings"), "page");
  assert.equal(names(router, "/other/settings"), "settings");
  const deep = new Router().add("GET", "/a/*", "star").add("GET", "/:x/b/c", "param");
  assert.equal(names(deep, "/a/b/c"), "star");
});

test("equal patterns go by order", () => {
  const router = new Router().add("GET", "/:a", "first").add("GET", "/:b", "second");
  assert.equal(names(router, "/x"), "first");
});

test("parameters are decoded, and malformed ones do not match", () => {
  const router = new Router().add("GET", "/city/:name", "city");
  assert.deepEqual(router.find("GET", "/city/caf%C3%A9").params, { name: "café" });
  assert.deepEqual(router.find("GET", "/city/a%2Fb").params, { name: "a/b" });
  assert.equal(router.find("GET", "/city/%E0%A4%A"), null);
});
