import assert from "node:assert/strict";
import test from "node:test";
import { truncate } from "../src/truncate.js";
import { width } from "../src/width.js";

test("the ellipsis is counted", () => {
  assert.equal(truncate("abcdefgh", 5), "abcd…");
  assert.equal(truncate("abcdefgh", 8), "abcdefgh");
});

test("what is seen as one stays one", () => {
  assert.equal(truncate("ab😀😀cd", 4), "ab😀…");
  assert.equal(truncate("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 2), "👨‍👩‍👧…");
  assert.equal(truncate("🇩🇪🇫🇷🇮🇹", 3), "🇩🇪🇫🇷🇮🇹");
  assert.equal(truncate("e\u0301e\u0301e\u0301", 2), "e\u0301…");
});

test("words are kept whole where that does not cost too much", () => {
  assert.equal(truncate("hello big world", 12), "hello big…");
  assert.equal(truncate("a incomprehensibilities", 12), "a incompreh…");
  assert.equal(truncate("hello world again", 12), "hello world…");
  assert.equal(truncate("hello there my friend", 15), "hello there my…");
});

test("nothing untidy before the ellipsis", () => {
  assert.equal(truncate("hello, world again", 8), "hello…");
  assert.equal(truncate("abcdef; ghijkl", 9), "abcdef…");
  assert.equal(truncate("abc     def", 6), "abc…");
});

test("tiny limits", () => {
  assert.equal(truncate("abc", 0), "");
  assert.equal(truncate("abc", 1), "…");
  assert.equal(truncate("", 0), "");
  assert.equal(truncate("a", 1), "a");
});

test("columns", () => {
  assert.equal(width("日本語"), 6);
  assert.equal(width("ｱﾊﾟ"), 3);
  assert.equal(width("😀👨‍👩‍👧🇩🇪"), 6);
  assert.equal(width("e\u0301a"), 2);
  assert.equal(width("한글"), 4);
  assert.equal(width("naïve"), 5);
  assert.equal(width(""), 0);
  assert.equal(width("ＡＢ"), 4);
});
