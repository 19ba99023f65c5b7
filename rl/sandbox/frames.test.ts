import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader, frame } from "./frames.js";

test("frames come out as they went in, however the stream is cut", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1 }), (sent, cuts) => {
      const stream = Buffer.concat(sent.map(frame));
      const reader = new FrameReader(40);
      const got: Uint8Array[] = [];
      for (let at = 0, i = 0; at < stream.length; i++) {
        const next = at + (cuts[i % cuts.length] as number);
        got.push(...reader.push(stream.subarray(at, next)));
        at = next;
      }
      assert.deepEqual(
        got.map((bytes) => [...bytes]),
        sent.map((bytes) => [...bytes]),
      );
    }),
  );
});

test("a frame longer than allowed is refused before it is stored", () => {
  const reader = new FrameReader(8);
  assert.throws(() => reader.push(frame(new Uint8Array(9)).subarray(0, 4)), RangeError);
});
