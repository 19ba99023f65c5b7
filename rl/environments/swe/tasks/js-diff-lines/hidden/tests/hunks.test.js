import assert from "node:assert/strict";
import test from "node:test";
import { diff } from "../src/diff.js";
import { hunks } from "../src/hunks.js";

const short = (changes) => changes.map(({ type, line }) => ({ same: " ", del: "-", add: "+" })[type] + line).join("");
const lines = (text) => [...text];

test("a longest common subsequence is kept", () => {
  assert.equal(short(diff(lines("abcdef"), lines("abXdef"))), " a b-c+X d e f");
  const changed = diff(lines("ABCABBA"), lines("CBABAC"));
  assert.equal(changed.filter(({ type }) => type === "same").length, 4);
});

test("removals come before additions", () => {
  assert.equal(short(diff(lines("ab"), lines("xy"))), "-a-b+x+y");
  assert.equal(short(diff(lines("1a2"), lines("1b2"))), " 1-a+b 2");
});

test("both texts can be read off", () => {
  const [a, b] = [lines("the quick brown fox"), lines("a quack crown of x")];
  const changes = diff(a, b);
  assert.deepEqual(changes.filter(({ type }) => type !== "add").map(({ line }) => line), a);
  assert.deepEqual(changes.filter(({ type }) => type !== "del").map(({ line }) => line), b);
});

const numbers = (n) => Array.from({ length: n }, (_, i) => String(i + 1));
const edited = (n, ...at) => numbers(n).map((line) => (at.includes(Number(line)) ? `${line}!` : line));

test("context around a change", () => {
  const [hunk, ...more] = hunks(diff(numbers(20), edited(20, 10)), 2);
  assert.deepEqual(more, []);
  assert.deepEqual([hunk.from, hunk.to, hunk.changes.length], [8, 8, 6]);
});

test("hunks that touch are one, others are apart", () => {
  assert.equal(hunks(diff(numbers(20), edited(20, 5, 10)), 2).length, 1);
  assert.equal(hunks(diff(numbers(20), edited(20, 5, 11)), 2).length, 2);
  assert.equal(hunks(diff(numbers(20), edited(20, 5, 7)), 0).length, 2);
});

test("numbers count either text for itself", () => {
  const [first, second] = hunks(diff(numbers(20), ["0", ...numbers(20).filter((n) => n !== "15")]), 1);
  assert.deepEqual([first.from, first.to], [1, 1]);
  assert.deepEqual([second.from, second.to], [14, 15]);
  assert.equal(short(second.changes), " 14-15 16");
});

test("nothing changed, no hunks", () => {
  assert.deepEqual(hunks(diff(["a"], ["a"])), []);
});
