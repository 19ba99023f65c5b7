import assert from "node:assert/strict";
import test from "node:test";
import { render } from "../src/render.js";

test("keys are filled, everywhere", () => {
  assert.equal(render("{{a}} and {{a}}, {{b}}", { a: "x", b: 0 }), "x and x, 0");
});

test("tags are escaped", () => {
  assert.equal(render("{{a}}", { a: "<b>" }), "&lt;b&gt;");
});
