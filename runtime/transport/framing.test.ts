import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import type { EndpointId } from "../core/ids.js";
import { encodeHello, framed, messageReader, readHello } from "./framing.js";

const limit = 1 << 10;
const message = fc.uint8Array({ maxLength: 300 });

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test("messages come out as they went in, however the stream is cut", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(message), sizes, (messages, cuts) => {
      const got: Uint8Array[] = [];
      const read = messageReader(
        limit,
        (each) => got.push(new Uint8Array(each)),
        () => assert.fail("none is too large"),
      );
      for (const chunk of cut(Buffer.concat(messages.map(framed)), cuts)) read(chunk);
      assert.deepEqual(got, messages);
    }),
  );
});

test("a message over the limit is told before it is gathered, and nothing after it is read", () => {
  const got: number[] = [];
  const refused: number[] = [];
  const read = messageReader(
    limit,
    (each) => got.push(each.length),
    (bytes) => refused.push(bytes),
  );
  const stream = Buffer.concat([framed(new Uint8Array(limit)), framed(new Uint8Array(limit + 1))]);
  read(stream.subarray(0, 4 + limit + 4));
  assert.deepEqual([got, refused], [[limit], [limit + 1]]);
  read(stream.subarray(4 + limit + 4));
  read(framed(new Uint8Array(1)));
  assert.deepEqual([got, refused], [[limit], [limit + 1]]);
});

test("a hello is told from a batch with frames, and any other bytes are no hello", () => {
  const from = "e0123456789ab" as EndpointId;
  assert.deepEqual(readHello(encodeHello({ from, link: "l1" })), { from, link: "l1" });
  const frames = [{ id: 1, method: "m" }];
  for (const batch of [{ frames }, { from, frames }])
    assert.equal(readHello(actors.v1.Batch.encode(batch).finish()), undefined);
  fc.assert(fc.property(message, (bytes) => readHello(bytes) === undefined || bytes[0] === 0x0a));
  assert.equal(readHello(new Uint8Array([0x0a, 1, 0x61, 0x1a, 0xff])), undefined);
});
