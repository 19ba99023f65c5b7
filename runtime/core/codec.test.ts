import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeValue, encodeApart, encodeValue, pieces } from "./codec.js";

const arrays = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.int16Array({ maxLength: 100 }),
  fc.float32Array({ maxLength: 100 }),
  fc.float64Array({ maxLength: 50 }),
  fc.bigInt64Array({ maxLength: 50 }),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    arrays,
    fc.string(),
    fc.double({ noNaN: true }),
    fc.constantFrom(null, true, undefined),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;

/** As it lies in an object: at a multiple of 64, with other things around it. */
function laid(value: unknown, least: number) {
  const encoded = encodeApart(value, least);
  const buffer = new ArrayBuffer(64 + encoded.bytes + 10);
  let at = 64;
  for (const piece of pieces(encoded)) {
    new Uint8Array(buffer).set(piece, at);
    at += piece.length;
  }
  assert.equal(at, 64 + encoded.bytes);
  return { encoded, head: new Uint8Array(buffer, 64, encoded.head.length), buffer };
}

test("a value with its arrays left apart decodes to the same as one in a single piece", () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 64 }), (value, least) => {
      const whole = decodeValue(encodeValue(value));
      assert.deepEqual(decodeValue(laid(value, least).head), least > 0 ? whole : decodeValue(laid(value, 1).head));
    }),
  );
});

test("arrays left apart are views of the memory they lie in, aligned for their elements", () => {
  const value = {
    x: new Float64Array([1, 2]),
    deep: [new Map([["y", new Uint8Array([1, 2, 3])]])],
    small: new Int8Array(1),
  };
  const { head, buffer, encoded } = laid(value, 2);
  assert.equal(encoded.parts.length, 2);
  const back = decodeValue(head) as typeof value;
  assert.deepEqual(back, value);
  assert.equal(back.x.buffer, buffer);
  assert.equal(back.x.byteOffset % 64, 0);
  new Uint8Array(buffer).fill(0, back.x.byteOffset, back.x.byteOffset + 16);
  assert.deepEqual([...back.x], [0, 0]);
});

test("what is encoded while another value is, does not mix with it", () => {
  const inner = { toJSON: () => Buffer.from(encodeValue(new Uint8Array(100))).toString("hex") };
  const { encoded, head } = laid({ inner, big: new Uint8Array(100) }, 50);
  assert.equal(encoded.parts.length, 1);
  assert.equal((decodeValue(head) as { big: Uint8Array }).big.length, 100);
});
