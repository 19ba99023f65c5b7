import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { names, settings, tokenizer, values } from "./vocabulary.js";

const token = fc.integer({ min: 0, max: tokenizer.vocabSize - 1 }).filter((id) => id !== tokenizer.eos);

test("token ids survive decoding and encoding", () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (ids) => {
      assert.deepEqual([...tokenizer.encode(tokenizer.decode(Int32Array.from(ids)))], ids);
    }),
  );
});

test("what the tools print and accept survives encoding and decoding", () => {
  for (const text of [
    "fix port to 7 from main\n$",
    "include api\n#include web\n$",
    "edit api 16",
    "read web",
    "done\n$",
  ])
    assert.equal(tokenizer.decode(tokenizer.encode(text)), text);
});

test("every word is one token of its own, any other word is the unknown one", () => {
  const words = [...names, ...settings, ...values];
  const ids = words.map((word) => [...tokenizer.encode(word)]);
  assert.ok(ids.every((id) => id.length === 1));
  assert.equal(new Set(ids.map(([id]) => id)).size, words.length);
  assert.equal(tokenizer.decode(tokenizer.encode("read ../../etc/passwd")), "read <unk>");
  assert.ok(tokenizer.vocabSize <= 100);
});

test("the end of an action has no text", () => {
  const action = Int32Array.from([...tokenizer.encode("submit"), tokenizer.eos]);
  assert.equal(tokenizer.decode(action), "submit");
});
