import assert from "node:assert/strict";
import test from "node:test";
import { parse } from "../src/csv.js";
import { write } from "../src/write.js";

test("a doubled quotation mark is one", () => {
  assert.deepEqual(parse('"Bolt ""M8""",12\n'), [['Bolt "M8"', "12"]]);
  assert.deepEqual(parse('""""\n'), [['"']]);
});

test("an empty quoted cell stays empty", () => {
  assert.deepEqual(parse('"",x\n'), [["", "x"]]);
});

test("line breaks inside of quotes stay as they are", () => {
  assert.deepEqual(parse('"a\nb",c\n'), [["a\nb", "c"]]);
  assert.deepEqual(parse('"a\r\nb",c\r\nd,e\r\n'), [["a\r\nb", "c"], ["d", "e"]]);
});

test("a last empty cell without a line end is kept", () => {
  assert.deepEqual(parse("a,"), [["a", ""]]);
  assert.deepEqual(parse(""), []);
});

test("what is written is read back", () => {
  const rows = [['say "hi"', "a,b", ""], ["x\ny", '"', '""'], ["1", "", "2"]];
  assert.deepEqual(parse(write(rows)), rows);
});
