import assert from "node:assert/strict";
import test from "node:test";
import { table } from "../src/table.js";

test("the widest cell counts, and line ends are bare", () => {
  assert.deepEqual(table([["id", "name"], ["abcdef", "x"], ["a", "yz"]]), ["id      name", "abcdef  x", "a       yz"]);
  assert.deepEqual(table([["a", "b"], ["long", ""]]), ["a     b", "long"]);
});

test("numbers go right", () => {
  assert.deepEqual(table([["name", "size"], ["a", 5], ["b", 12345]]), ["name   size", "a         5", "b     12345"]);
  assert.deepEqual(table([["n", "mixed"], [1, 5], [20, "x"]]), [" n  mixed", " 1  5", "20  x"]);
  assert.deepEqual(table([["x"], ["5"]]), ["x", "5"]);
});

test("alignment can be said", () => {
  assert.deepEqual(table([["a", "n"], ["bbb", 10]], { align: ["right", "left"] }), ["  a  n", "bbb  10"]);
  assert.deepEqual(table([["n", "a"], [100, "b"]], { align: [undefined, "right"] }), ["  n  a", "100  b"]);
});

test("missing cells", () => {
  assert.deepEqual(table([["a", "b", "c"], [1], [null, undefined, 0]]), ["a  b  c", "1", "      0"]);
  assert.deepEqual(table([["a"], ["x", "more"]]), ["a", "x  more"]);
  assert.deepEqual(table([]), []);
});

test("too wide", () => {
  const rows = [["id", "title", "who"], ["1", "a long long title", "someone"]];
  assert.deepEqual(table(rows, { maxWidth: 20 }), ["id  title    who", "1   a long…  someone"]);
  assert.deepEqual(table(rows, { maxWidth: 16 }), ["id  title  who", "1   a lo…  some…"].map((line) => line));
  assert.deepEqual(table(rows, { maxWidth: 1 }), ["id  ti…  who", "1   a …  so…"]);
  assert.deepEqual(table(rows, { maxWidth: 30 }), table(rows));
});

test("several lines in a cell", () => {
  assert.deepEqual(table([["a", "b"], ["one\nthree", "x"], ["y", 2]]), ["a      b", "one    x", "three", "y      2"]);
});
