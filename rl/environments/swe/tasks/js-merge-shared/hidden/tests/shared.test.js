import assert from "node:assert/strict";
import test from "node:test";
import { merge } from "../src/merge.js";
import { defaults, settingsOf } from "../src/settings.js";

test("the defaults stay as they are", () => {
  const before = structuredClone(defaults);
  const one = settingsOf({ lint: { level: "error" } });
  one.lint.ignore.push("build");
  one.cache.days = 1;
  assert.deepEqual(defaults, before);
  assert.deepEqual(settingsOf({}).lint, { ignore: ["dist"], level: "warn" });
});

test("nothing of any layer is handed out", () => {
  const layer = { list: [{ a: [1] }], deep: { er: { x: 1 } } };
  const out = merge({ deep: { er: { y: 2 } } }, layer);
  out.list[0].a.push(2);
  out.list.push(3);
  out.deep.er.x = 5;
  assert.deepEqual(layer, { list: [{ a: [1] }], deep: { er: { x: 1 } } });
});

test("dates and instances are values", () => {
  const date = new Date(0);
  class Rule {}
  const rule = new Rule();
  const out = merge({ date, rule, fn: Math.max });
  assert.ok(out.date instanceof Date);
  assert.ok(out.rule instanceof Rule);
  assert.equal(out.fn, Math.max);
});

test("prototypes cannot be set", () => {
  const out = merge({}, JSON.parse('{"__proto__": {"admin": true}, "a": {"__proto__": {"admin": true}}}'));
  assert.equal(out.admin, undefined);
  assert.equal(out.a.admin, undefined);
  merge({ constructor: {} }, JSON.parse('{"constructor": {"prototype": {"polluted": 1}}}'));
  assert.equal({}.polluted, undefined);
});

test("undefined hides nothing, null does", () => {
  assert.deepEqual(merge({ a: 1, b: { c: 1 } }, { a: undefined, b: { c: undefined } }), { a: 1, b: { c: 1 } });
  assert.deepEqual(merge({ a: { b: 1 } }, { a: null }), { a: null });
});
