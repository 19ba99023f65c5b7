import assert from "node:assert/strict";
import test from "node:test";
import { History } from "../src/history.js";

test("nothing to undo or redo", () => {
  const history = new History("a");
  assert.deepEqual([history.undo(), history.redo(), history.canUndo, history.canRedo], [null, null, false, false]);
  history.record("b");
  assert.equal(history.undo(), "a");
  assert.equal(history.undo(), null);
  assert.equal(history.redo(), "b");
  assert.equal(history.redo(), null);
});

test("a new edit ends what could be redone", () => {
  const history = new History("a");
  history.record("b");
  history.undo();
  history.record("c");
  assert.equal(history.canRedo, false);
  assert.equal(history.redo(), null);
  assert.equal(history.undo(), "a");
});

function typed(...edits) {
  let time = 0;
  const history = new History("", { clock: () => time });
  for (const [ms, text, group] of edits) {
    time = ms;
    history.record(text, group === undefined ? undefined : { group });
  }
  const undone = [];
  for (let text = history.undo(); text !== null; text = history.undo()) undone.push(text);
  return undone;
}

test("typing is one step", () => {
  assert.deepEqual(typed([0, "h", "type"], [400, "he", "type"], [800, "hey", "type"]), [""]);
  assert.deepEqual(typed([0, "h", "type"], [500, "he", "type"]), [""]);
  assert.deepEqual(typed([0, "h", "type"], [501, "he", "type"]), ["h", ""]);
});

test("another group, or none, begins a new step", () => {
  assert.deepEqual(typed([0, "h", "type"], [1, "H", "format"], [2, "He", "type"]), ["H", "h", ""]);
  assert.deepEqual(typed([0, "h", "type"], [1, "x"], [2, "xy", "type"]), ["x", "h", ""]);
  assert.deepEqual(typed([0, "a"], [1, "b"]), ["a", ""]);
});

test("undo ends a group", () => {
  let time = 0;
  const history = new History("", { clock: () => time });
  history.record("a", { group: "type" });
  history.record("b");
  history.undo();
  time = 10;
  history.record("ac", { group: "type" });
  assert.equal(history.undo(), "a");
  assert.equal(history.redo(), "ac");
  history.record("acd", { group: "type" });
  assert.equal(history.undo(), "ac");
});

test("history is its own", () => {
  const document = { lines: ["a"] };
  const history = new History(document);
  document.lines.push("b");
  history.record(document);
  document.lines.push("c");
  const old = history.undo();
  assert.deepEqual(old, { lines: ["a"] });
  old.lines.push("x");
  assert.deepEqual(history.redo(), { lines: ["a", "b"] });
  assert.deepEqual(history.undo(), { lines: ["a"] });
});

test("the oldest steps are dropped", () => {
  const history = new History(0, { limit: 2 });
  for (const n of [1, 2, 3]) history.record(n);
  assert.deepEqual([history.undo(), history.undo(), history.undo()], [2, 1, null]);
  assert.deepEqual([history.redo(), history.redo(), history.redo()], [2, 3, null]);
});
