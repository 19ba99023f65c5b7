import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import type { Location, Resolver } from "../directory/directory.js";
import { MemoryNetwork } from "../transport/memory.js";
import { Cell } from "./cell.js";
import { encodeValue } from "./codec.js";
import { type ActorDef, defineActor } from "./definition.js";
import { Endpoint } from "./endpoint.js";
import { type Handle, makeHandle } from "./handle.js";
import { type ActorId, type EndpointId, newEndpointId } from "./ids.js";

const id = "a1" as ActorId;

class Echo {
  echo(value: unknown) {
    return value;
  }
  async *count(n: number) {
    for (let i = 0; i < n; i++) yield i;
  }
}
const echo = defineActor({ name: "test.fuzzed", module: import.meta.url, class: Echo });

/** An actor, one who calls it, and a link through which anything may come to both. */
function setUp() {
  const network = new MemoryNetwork();
  const [here, there, stranger] = [newEndpointId("client"), newEndpointId("client"), newEndpointId("client")];
  const at: Location = { state: "running", endpoint: there, epoch: 1, failure: undefined };
  const places: Resolver = { resolve: () => at, onChange: () => () => {} };
  const caller = new Endpoint(here, network.open(here), places);
  const callee = new Endpoint(there, network.open(there), places);
  callee.server.host(new Cell({ id, epoch: 1, def: echo as unknown as ActorDef }, new Echo(), () => {}));
  const link = network.open(stranger);
  return {
    caller,
    callee,
    e: makeHandle(caller.calls, id, echo as ActorDef<Echo, never>) as Handle<Echo>,
    inject(batch: Uint8Array) {
      for (const to of [here, there]) link.send(to, batch);
    },
    close: () => Promise.all([caller.close("end"), callee.close("end")]),
  };
}

/** Frames of the right types that mean anything. */
const frame = fc.record(
  {
    kind: fc.integer({ min: 0, max: 14 }),
    id: fc.nat(40),
    actor: fc.constantFrom(id, "a2", "", "$endpoint.nowhere", "\u0000"),
    epoch: fc.nat(2),
    method: fc.constantFrom("echo", "count", "constructor", "__proto__", "toString", ""),
    budgetMs: fc.nat(50),
    codec: fc.integer({ min: 0, max: 7 }),
    payload: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(encodeValue([3])), fc.constant(deep())),
    credit: fc.nat({ max: 0xffffffff }),
    attempt: fc.nat(3),
    trace: fc.constantFrom("", "00-bad", "\n"),
    waits: fc.boolean(),
    shared: fc.boolean(),
    objects: fc.boolean(),
    error: fc.record({ code: fc.constantFrom("NOT_HERE", "nonsense", ""), message: fc.string() }),
  },
  { requiredKeys: [] },
);

/** Lists in lists, more than a stack can follow. */
function deep(): Uint8Array {
  return new Uint8Array(200_000).fill(0x91);
}

const anything = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .record({ from: fc.constantFrom("e1", "", "$", "e".repeat(300)), frames: fc.array(frame, { maxLength: 6 }) })
    .map((batch) => actors.v1.Batch.encode(batch).finish()),
  // A true batch, cut short or with a byte changed.
  fc.record({ cut: fc.nat(60), at: fc.nat(60), to: fc.nat(255) }).map(({ cut, at, to }) => {
    const frames = [{ id: 1, actor: id, epoch: 1, method: "echo", codec: 1, payload: encodeValue(["whole"]) }];
    const bytes = actors.v1.Batch.encode({ from: "e1", frames })
      .finish()
      .slice(0, -1 - (cut % 50));
    if (at < bytes.length) bytes[at] = to;
    return bytes;
  }),
);

test("whatever comes over the wire, an endpoint goes on: it counts what it cannot read, and answers what it can", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 12 }), async (batches) => {
      const { e, inject, close } = setUp();
      const first = e.echo("before");
      for (const batch of batches) inject(batch);
      assert.equal(await first, "before");
      assert.deepEqual(await e.echo({ still: ["here", 1] }), { still: ["here", 1] });
      const seen: number[] = [];
      for await (const n of e.count(300)) seen.push(n);
      assert.equal(seen.length, 300);
      await close();
    }),
    { numRuns: 150 },
  );
});

test("what cannot be read is counted", async () => {
  const { callee, e, inject, close } = setUp();
  inject(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
  assert.equal(await e.echo(1), 1);
  assert.equal(callee.malformed, 1);
  await close();
});

test("arguments nested deeper than a stack can follow fail their call, and no other", async () => {
  const { callee, e, inject, close } = setUp();
  const frames = [{ id: 1, actor: id, epoch: 1, method: "echo", codec: 1, payload: deep() }];
  inject(actors.v1.Batch.encode({ from: "e1" as EndpointId, frames }).finish());
  assert.equal(await e.echo(1), 1);
  assert.equal(callee.server.cells.get(id)!.report().failed, 1);
  await close();
});
