import assert from "node:assert/strict";
import test from "node:test";
import { Outline } from "../src/outline.js";
import { from, toText } from "../src/text.js";

const text = "a\n  b\n    c\n  d\ne\n  f";
const idOf = (outline, wanted) => {
  for (let id = 1; id < 50; id++) if (outline.find(id)?.text === wanted) return id;
};
const moved = (what, where, index) => {
  const outline = from(text);
  outline.move(idOf(outline, what), where === null ? 0 : idOf(outline, where), index);
  return toText(outline);
};

test("text and back", () => {
  assert.equal(toText(from(text)), text);
  assert.equal(toText(from("a\n b\n    c\n d\ne\n      f")), text);
  assert.equal(toText(from("a\n\n  b\n")), "a\n  b");
  assert.equal(from("").size, 0);
});

test("too deep a line is named", () => {
  assert.throws(() => from("  a"), (error) => error instanceof SyntaxError && /\b1\b/.test(error.message));
  assert.throws(() => from("a\n    b\n  c"), (error) => error instanceof SyntaxError && /\b3\b/.test(error.message));
});

test("moves to other parents", () => {
  assert.equal(moved("b", "e", 0), "a\n  d\ne\n  b\n    c\n  f");
  assert.equal(moved("c", null, 1), "a\n  b\n  d\nc\ne\n  f");
  assert.equal(moved("f", "a", 99), "a\n  b\n    c\n  d\n  f\ne");
  assert.equal(moved("f", "a"), "a\n  b\n    c\n  d\n  f\ne");
});

test("moves within a parent", () => {
  assert.equal(moved("b", "a", 1), "a\n  d\n  b\n    c\ne\n  f");
  assert.equal(moved("d", "a", 0), "a\n  d\n  b\n    c\ne\n  f");
  assert.equal(moved("b", "a", 0), text);
  const outline = from("a\nb\nc\nd");
  outline.move(1, 0, 2);
  assert.equal(toText(outline), "b\nc\na\nd");
});

test("not into itself", () => {
  for (const where of ["a", "b", "c"]) {
    const outline = from(text);
    assert.throws(() => outline.move(idOf(outline, "a"), idOf(outline, where)), RangeError, where);
    assert.equal(toText(outline), text);
  }
});

test("a branch is removed as a whole", () => {
  const outline = from(text);
  const c = idOf(outline, "c");
  outline.remove(idOf(outline, "a"));
  assert.deepEqual([toText(outline), outline.size, outline.find(c)], ["e\n  f", 2, undefined]);
});

test("unknown ids change nothing", () => {
  const outline = from(text);
  const bad = [() => outline.move(99, 0), () => outline.move(1, 99), () => outline.remove(99), () => outline.add("x", 99), () => outline.remove(0), () => outline.move(0, 1)];
  for (const each of bad) assert.throws(each, RangeError, String(each));
  assert.equal(toText(outline), text);
  assert.equal(outline.size, 6);
});

test("what find gives is no way in", () => {
  const outline = from(text);
  outline.find(1).children.length = 0;
  assert.equal(toText(outline), text);
});
