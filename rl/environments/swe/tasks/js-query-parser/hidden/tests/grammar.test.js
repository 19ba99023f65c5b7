import assert from "node:assert/strict";
import test from "node:test";
import { parse } from "../src/parse.js";
import { search } from "../src/search.js";

const word = (value) => ({ word: value });
const and = (left, right) => ({ op: "and", left, right });
const or = (left, right) => ({ op: "or", left, right });
const not = (of) => ({ op: "not", of });
const [a, b, c, d] = ["a", "b", "c", "d"].map(word);

test("and binds tighter than or, both from the left", () => {
  assert.deepEqual(parse("a or b and c"), or(a, and(b, c)));
  assert.deepEqual(parse("a and b or c and d"), or(and(a, b), and(c, d)));
  assert.deepEqual(parse("a or b or c"), or(or(a, b), c));
  assert.deepEqual(parse("a and b and c"), and(and(a, b), c));
});

test("neighbours mean and", () => {
  assert.deepEqual(parse("a b or c d"), or(and(a, b), and(c, d)));
  assert.deepEqual(parse("a(b or c)d"), and(and(a, or(b, c)), d));
  assert.deepEqual(parse("a not b"), and(a, not(b)));
});

test("not takes what comes next", () => {
  assert.deepEqual(parse("not a and b"), and(not(a), b));
  assert.deepEqual(parse("not not a or b"), or(not(not(a)), b));
  assert.deepEqual(parse("not (a or b) c"), and(not(or(a, b)), c));
});

test("phrases stay as they are", () => {
  assert.deepEqual(parse('"Apple  Pie" or x'), or(word("Apple  Pie"), word("x")));
  assert.deepEqual(parse('"or" and "(a)"'), and(word("or"), word("(a)")));
  assert.deepEqual(parse('a"b c"'), and(a, word("b c")));
  assert.deepEqual(search('"apple pie"', ["Apple Pie", "apple x pie"]), ["Apple Pie"]);
});

test("keywords in any case", () => {
  assert.deepEqual(parse("A OR Not b"), or(word("A"), not(b)));
});

test("errors say where", () => {
  const bad = { "(a or b": 7, "a or b)": 6, "a or": 4, "or a": 0, "": 0, "a and or b": 6, "()": 1, 'a "b': 2, not: 3, "(a))": 3 };
  for (const [text, at] of Object.entries(bad))
    assert.throws(() => parse(text), (error) => error instanceof SyntaxError && error.message.endsWith(` at ${at}`), text);
});
