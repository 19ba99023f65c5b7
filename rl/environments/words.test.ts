import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { marks, unknownWord, wordTokenizer } from "./words.js";

const numbers = [...marks(-2, 2, 0.5), ...marks(10, 30, 10)];
const tokenizer = wordTokenizer(["error:", "valve"], numbers);
const again = (text: string) => tokenizer.decode(tokenizer.encode(text));

test("token ids survive decoding and encoding", () => {
  const token = fc.integer({ min: 1, max: tokenizer.vocabSize - 1 });
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (ids) => {
      assert.deepEqual([...tokenizer.encode(tokenizer.decode(Int32Array.from(ids)))], ids);
    }),
  );
});

test("a number is read as the nearest there is", () => {
  fc.assert(
    fc.property(fc.double({ min: -100, max: 100, noNaN: true }), (value) => {
      const text = value.toFixed(2);
      const off = Math.abs(Number(again(text)) - Number(text));
      for (const mark of numbers) assert.ok(off <= Math.abs(Number(mark) - Number(text)) + 1e-12, `${text} ${mark}`);
    }),
  );
});

test("other words are left out, or are the unknown one where the vocabulary has that", () => {
  assert.equal(again("error: turn the valve to 17.2 please"), "error: valve 20");
  const strict = wordTokenizer([unknownWord, "valve"]);
  assert.equal(strict.decode(strict.encode("the valve")), "<unk> valve");
});

test("marks include both ends, and zero has no sign", () => {
  assert.deepEqual(marks(-0.5, 0.5, 0.5), ["-0.5", "0.0", "0.5"]);
  assert.deepEqual(marks(260, 270, 5), ["260", "265", "270"]);
});
