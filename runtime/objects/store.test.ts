import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, it, type TestContext, test } from "node:test";
import { actors } from "#protos";
import { Cell } from "../core/cell.js";
import { decodeValue, encodeValue } from "../core/codec.js";
import { defineActor } from "../core/definition.js";
import { Endpoint } from "../core/endpoint.js";
import { isActorsError } from "../core/errors.js";
import { type ActorId, newEndpointId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { Directory } from "../directory/directory.js";
import { MemoryStore } from "../directory/store.js";
import { MemoryNetwork } from "../transport/memory.js";
import type { ObjectLimits } from "./ledger.js";
import type { ObjectRef } from "./ref.js";
import { ObjectStore } from "./store.js";

const mib = 1 << 20;
const roomy: ObjectLimits = { memory: 512 * mib, disk: 512 * mib };

/** Two stores that reach each other, as if in two threads. */
async function stores(t: TestContext, limits = roomy) {
  const network = new MemoryNetwork();
  const directory = await Directory.open(new MemoryStore());
  const make = (ledger?: string) => {
    const id = newEndpointId("worker");
    const endpoint = new Endpoint(id, network.open(id), directory);
    const store = new ObjectStore({
      endpoint,
      host: "here",
      node: "n1",
      dir: "",
      log: makeLogger("test"),
      limits,
      ledger,
    });
    t.after(async () => {
      store.close();
      await endpoint.close("the test ended");
    });
    return store;
  };
  const a = make();
  return { a, b: make(a.ledgerPath) };
}

/** As it comes out of a message. */
const sent = <T>(ref: ObjectRef<T>) => decodeValue(encodeValue(ref)) as ObjectRef<T>;
const filled = (bytes: number, value: number) => new Uint8Array(bytes).fill(value);
const openSegments = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("/memfd:actors-object");
    } catch {
      return false;
    }
  }).length;

describe("objects of one host", () => {
  it("another process gets what was put, small or large, with its typed arrays in shared memory", async (t) => {
    const { a, b } = await stores(t);
    const small = { text: "hello", at: new Map([[1, new Float32Array([1, 2])]]) };
    assert.deepEqual(await b.get(sent(await a.put(small, "me"))), small);
    const large = { x: new Float64Array(mib).fill(1.5), name: "weights" };
    const ref = sent(await a.put(large, "me"));
    assert.equal(ref.bytes > 8 * mib && ref.bytes < 8 * mib + 1024, true);
    const got = await b.get(ref);
    assert.deepEqual(got, large);
    assert.equal(got.x.buffer, (await b.get(ref)).x.buffer, "mapped once");
    assert.deepEqual(b.list().mapped, [ref.id]);
  });

  it("what a reader writes by mistake reaches nobody else", async (t) => {
    const { a, b } = await stores(t);
    const ref = await a.put(filled(mib, 1), "me");
    (await b.get(sent(ref))).fill(9);
    assert.equal((await a.get(ref))[0], 1);
  });

  it("a freed object is NOT_FOUND for everyone, and stays whole for who holds it", async (t) => {
    const { a, b } = await stores(t);
    const ref = await a.put(filled(mib, 1), "me");
    const held = await b.get(sent(ref));
    await b.free(sent(ref));
    for (const store of [a, b]) {
      await assert.rejects(store.get(sent(ref)), (e) => isActorsError(e, "NOT_FOUND") && e.message.includes(ref.id));
    }
    await a.put(filled(mib, 2), "me");
    assert.ok(held.every((byte) => byte === 1));
    await a.free(ref);
    const small = await a.put("x", "me");
    await a.free(small);
    await assert.rejects(a.get(small), (e) => isActorsError(e, "NOT_FOUND"));
  });

  it("memory that nobody reads is used again, and given back at the end", async (t) => {
    const before = openSegments();
    const { a } = await stores(t);
    const places = new Set<number>();
    for (let i = 0; i < 5; i++) {
      const ref = await a.put(filled(mib + i, i), "me");
      places.add(ref.state.place!.descriptor);
      a.drop(ref.id);
    }
    assert.equal(places.size, 1);
    a.close();
    assert.ok(openSegments() <= before + 1, "all but the ledger");
  });

  it("an actor's objects end with it", async (t) => {
    const { a } = await stores(t);
    const [mine, its] = [await a.put(filled(mib, 1), "me"), await a.put(filled(mib, 2), "actor")];
    a.dropOf("actor");
    assert.equal((await a.get(mine))[0], 1);
    await assert.rejects(a.get(its), (e) => isActorsError(e, "NOT_FOUND"));
    assert.deepEqual(
      a.list().own.map(({ id, owner, use, where }) => [id, owner, use, where]),
      [[mine.id, "me", "put", "memory"]],
    );
  });
});

describe("objects beyond the budget", () => {
  it("the least recently used goes to disk and is mapped from there, in no folder", async (t) => {
    const { a, b } = await stores(t, { memory: 4 * mib, disk: 64 * mib });
    const refs: ObjectRef<Uint8Array>[] = [];
    for (let i = 0; i < 6; i++) refs.push(await a.put(filled(mib - 4096, i), "me"));
    const where = Object.fromEntries(a.list().own.map((each) => [each.id, each.where]));
    assert.deepEqual(
      refs.map(({ id }) => where[id]),
      ["disk", "disk", "memory", "memory", "memory", "memory"],
    );
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`object-${process.pid}-`)),
      [],
    );
    for (const [i, ref] of refs.entries()) {
      assert.ok(
        (await b.get(sent(ref))).every((byte) => byte === i),
        `object ${i}`,
      );
      assert.ok(
        (await a.get(ref)).every((byte) => byte === i),
        `object ${i}`,
      );
    }
  });

  it("what someone reads stays in memory, and the next goes to disk by itself", async (t) => {
    const { a, b } = await stores(t, { memory: 4 * mib, disk: 64 * mib });
    const refs: ObjectRef<Uint8Array>[] = [];
    for (let i = 0; i < 3; i++) refs.push(await a.put(filled(mib - 4096, i), "me"));
    const held = await Promise.all(refs.map((ref) => b.get(sent(ref))));
    const last = await a.put(filled(mib, 9), "me");
    assert.deepEqual(
      a.list().own.map(({ where }) => where),
      ["memory", "memory", "memory", "disk"],
    );
    assert.equal((await b.get(sent(last)))[mib - 1], 9);
    assert.deepEqual(
      held.map((each) => each[0]),
      [0, 1, 2],
    );
  });

  it("without room on disk RESOURCE_EXHAUSTED names the budgets and how to raise them; freeing makes room", async (t) => {
    const { a } = await stores(t, { memory: 2 * mib, disk: mib });
    const refs = [await a.put(filled(mib - 4096, 1), "me"), await a.put(filled(mib - 4096, 2), "me")];
    await assert.rejects(
      a.put(filled(mib - 4096, 3), "me").then(() => a.put(filled(mib, 4), "me")),
      (error) => {
        assert.ok(isActorsError(error, "RESOURCE_EXHAUSTED"));
        assert.match(error.message, /of 2097152 bytes of memory and \d+ of 1048576 of disk/);
        assert.match(error.hint!, /system\.free.*objects\.memory.*objects\.disk/);
        return true;
      },
    );
    for (const ref of refs) await a.free(ref);
    assert.equal((await a.get(await a.put(filled(mib - 4096, 5), "me")))[0], 5);
  });

  it("processes of a node share one budget, and one that ends gives its part back", async (t) => {
    const { a, b } = await stores(t, { memory: 4 * mib, disk: 64 * mib });
    for (let i = 0; i < 3; i++) await a.put(filled(mib - 4096, i), "me");
    await b.put(filled(mib, 1), "me");
    assert.deepEqual(
      b.list().own.map(({ where }) => where),
      ["disk"],
    );
    a.close();
    await b.put(filled(mib, 1), "me");
    assert.deepEqual(
      b.list().own.map(({ where }) => where),
      ["disk", "memory"],
    );
  });
});

class Giver {
  give() {
    return new Uint8Array(mib).fill(8);
  }
}
const giver = defineActor({ name: "test.giver", module: import.meta.url, class: Giver });

test("a caller that does not say it reads objects gets a large answer in the message", async (t) => {
  const network = new MemoryNetwork();
  const [id, caller] = [newEndpointId("worker"), newEndpointId("worker")];
  const endpoint = new Endpoint(id, network.open(id), await Directory.open(new MemoryStore()));
  const store = new ObjectStore({
    endpoint,
    host: "here",
    node: "n1",
    dir: "",
    log: makeLogger("test"),
    limits: roomy,
  });
  t.after(async () => {
    store.close();
    await endpoint.close("the test ended");
  });
  endpoint.server.host(new Cell({ id: "a1" as ActorId, epoch: 1, def: giver as never }, new Giver(), () => {}));
  const link = network.open(caller);
  const ask = (objects: boolean) =>
    new Promise<actors.v1.Frame>((resolve) => {
      link.onBatch((batch) => resolve(actors.v1.Batch.decode(batch).frames[0] as actors.v1.Frame));
      const frames = [{ kind: actors.v1.FrameKind.CALL, id: objects ? 1 : 2, actor: "a1", method: "give", objects }];
      link.send(id, actors.v1.Batch.encode({ from: caller, frames }).finish());
    });
  const whole = await ask(false);
  assert.deepEqual([whole.codec, whole.payload.length > mib], [actors.v1.Codec.MSGPACK, true]);
  const reference = await ask(true);
  assert.deepEqual([reference.codec, reference.payload.length < 500], [actors.v1.Codec.MSGPACK_OBJECT, true]);
  assert.equal(store.list().own.length, 1);
});
