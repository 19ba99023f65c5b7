import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import { Unloading } from "./bulk.js";
import type { EndpointId } from "./ids.js";
import type { Frame } from "./outbox.js";

const { Codec, FrameKind } = actors.v1;
const [here, there] = ["e1", "e2"] as EndpointId[];

/** Frames as they pass, with objects that come when the test says so. */
function unloading() {
  const passed: Frame[] = [];
  const answered: Frame[] = [];
  const arrivals: { resolve(payload: Uint8Array): void; reject(error: Error): void }[] = [];
  const unloading = new Unloading(
    (_, frame) => passed.push(frame),
    (_, frame) => answered.push(frame),
  );
  unloading.bulk = {
    least: 1,
    keep: () => undefined,
    received() {},
    open: (reference) =>
      reference[0] === 1
        ? reference
        : new Promise((resolve, reject) => arrivals.push({ resolve: () => resolve(reference), reject })),
  };
  return { unloading, passed, answered, arrivals };
}

const near = { codec: Codec.MSGPACK_OBJECT, payload: Uint8Array.of(1) };
const far = { codec: Codec.MSGPACK_OBJECT, payload: Uint8Array.of(2) };
const plain = { codec: Codec.MSGPACK, payload: Uint8Array.of(3) };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("payloads that come as objects", () => {
  it("keep the order of frames from a caller to an actor, whenever their objects arrive", async () => {
    const frames = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom(near, far, plain)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(frames, async (sent) => {
        const { unloading: u, passed, arrivals } = unloading();
        for (const [id, [actor, what]] of sent.entries())
          u.pass(there!, new actors.v1.Frame({ kind: FrameKind.CALL, id, actor, budgetMs: 60_000, ...what }));
        for (let next = arrivals.pop(); next; next = arrivals.pop()) {
          next.resolve(Uint8Array.of());
          await turn();
        }
        for (const actor of ["a", "b"]) {
          const ids = sent.flatMap(([to], id) => (to === actor ? [id] : []));
          assert.deepEqual(
            passed.flatMap((frame) => (frame.actor === actor ? [frame.id] : [])),
            ids,
          );
        }
        assert.ok(passed.every(({ codec, kind }) => codec === Codec.MSGPACK && kind === FrameKind.CALL));
      }),
    );
  });

  it("a call cancelled while its object is on the way never starts; another actor's calls do not wait", async () => {
    const { unloading: u, passed, arrivals } = unloading();
    u.pass(there!, { kind: FrameKind.CALL, id: 1, actor: "a", ...far });
    u.pass(there!, { kind: FrameKind.CALL, id: 2, actor: "b", ...plain });
    u.pass(there!, { kind: FrameKind.CANCEL, id: 1 });
    arrivals[0]!.resolve(Uint8Array.of());
    await turn();
    assert.deepEqual(
      passed.map(({ id }) => id),
      [2],
    );
  });

  it("an object that cannot be had fails the call it came with, here or there", async () => {
    const { unloading: u, passed, answered, arrivals } = unloading();
    u.pass(there!, { kind: FrameKind.CALL, id: 1, actor: "a", ...far });
    u.pass(there!, { kind: FrameKind.REPLY, id: 7, ...far });
    u.pass(here!, { kind: FrameKind.TELL, actor: "a", ...far });
    for (const { reject } of arrivals) reject(new RangeError("gone"));
    await turn();
    assert.deepEqual(
      answered.map(({ kind, id, error }) => [kind, id, error?.message]),
      [[FrameKind.ERROR, 1, "gone"]],
    );
    assert.deepEqual(
      passed.map(({ kind, id, error }) => [kind, id, error?.message]),
      [[FrameKind.ERROR, 7, "gone"]],
    );
  });
});
