import assert from "node:assert/strict";
import test from "node:test";
import { lines } from "../src/lines.js";

async function* chunks(all) {
  for (const chunk of all) yield chunk;
}

async function read(all, options) {
  const seen = [];
  for await (const line of lines(chunks(all.map((chunk) => Buffer.from(chunk))), options)) seen.push(line);
  return seen;
}

test("lines over chunks", async () => {
  assert.deepEqual(await read(["ab", "c\nd", "\n", "e\nf"]), ["abc", "d", "e", "f"]);
});

test("ends of streams", async () => {
  assert.deepEqual(await read(["a\nb\n"]), ["a", "b"]);
  assert.deepEqual(await read(["a\n\n"]), ["a", ""]);
  assert.deepEqual(await read([]), []);
  assert.deepEqual(await read(["", "\n"]), [""]);
});

test("windows line ends, wherever they are split", async () => {
  assert.deepEqual(await read(["a\r\nb\r", "\nc\r\n"]), ["a", "b", "c"]);
  assert.deepEqual(await read(["a\rb\n"]), ["a\rb"]);
  assert.deepEqual(await read(["a\r", "b\n", "c\r"]), ["a\rb", "c\r"]);
});

test("characters over chunks", async () => {
  const bytes = Buffer.from("ä€😀\nö");
  assert.deepEqual(await read([...bytes].map((byte) => [byte])), ["ä€😀", "ö"]);
});

test("a byte order mark", async () => {
  assert.deepEqual(await read([[0xef], [0xbb, 0xbf, 0x61]]), ["a"]);
  assert.deepEqual(await read(["a\n\ufeffb"]), ["a", "\ufeffb"]);
});

test("a line that is too long is refused before more is read", async () => {
  let pulled = 0;
  async function* endless() {
    for (;;) {
      pulled++;
      yield Buffer.from("x".repeat(10));
    }
  }
  await assert.rejects(async () => {
    for await (const _ of lines(endless(), { maxLength: 25 }));
  }, RangeError);
  assert.equal(pulled, 3);
  await assert.rejects(read([`${"y".repeat(30)}\n`], { maxLength: 25 }), RangeError);
  assert.deepEqual(await read([`${"y".repeat(25)}\r\n`], { maxLength: 25 }), ["y".repeat(25)]);
});

test("the source is closed when nobody wants more, or on an error", async () => {
  let closed = 0;
  const source = () => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: Buffer.from("a\nb\n") }),
      return: async () => {
        closed++;
        return { done: true };
      },
    }),
  });
  for await (const _ of lines(source())) break;
  assert.equal(closed, 1);
  await assert.rejects(async () => {
    for await (const _ of lines(source(), { maxLength: 0 }));
  }, RangeError);
  assert.equal(closed, 2);
});
