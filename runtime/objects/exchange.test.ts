import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { until } from "../cluster/testing.js";
import { decodeValue, encodeValue } from "../core/codec.js";
import { Endpoint } from "../core/endpoint.js";
import { isActorsError } from "../core/errors.js";
import { type EndpointId, newEndpointId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { Directory } from "../directory/directory.js";
import { MemoryStore } from "../directory/store.js";
import { MemoryNetwork } from "../transport/memory.js";
import type { ObjectRef } from "./ref.js";
import type { Taker } from "./spread.js";
import { ObjectStore } from "./store.js";

const mib = 1 << 20;
const roomy = { memory: 512 * mib, disk: 512 * mib };

/** Stores that each take themselves for the only one on its host. */
async function hosts(t: TestContext, count: number, limits = roomy, hostOf = (i: number) => `host ${i}`) {
  const network = new MemoryNetwork();
  const directory = await Directory.open(new MemoryStore());
  return Array.from({ length: count }, (_, i) => {
    const id = newEndpointId("worker");
    const endpoint = new Endpoint(id, network.open(id), directory);
    const where = { host: hostOf(i), node: `n${i}`, dir: "", token: "secret" };
    const store = new ObjectStore({ endpoint, ...where, log: makeLogger("test"), limits });
    t.after(async () => {
      store.close();
      await endpoint.close("the test ended");
    });
    return { id, store };
  });
}

const sent = <T>(ref: ObjectRef<T>) => decodeValue(encodeValue(ref)) as ObjectRef<T>;
const [x, y] = ["x", "y"].map((name) => ({ endpoint: name as EndpointId, host: name, pid: 1 })) as [Taker, Taker];

/** Takes both places of the owner, once whoever pulled before has said that it is done. */
async function occupy({ exchange }: ObjectStore, id: string): Promise<void> {
  for (const taker of [x, y]) {
    await until("a place at the owner", async () => (await exchange.serve(id, taker)).address !== undefined);
  }
}

describe("objects that are pulled", () => {
  it("reach many hosts at once", async (t) => {
    const [owner, ...others] = await hosts(t, 8);
    const value = new Float64Array(mib).map((_, i) => i);
    const ref = await owner!.store.put({ value, name: "weights" }, "me");
    const got = await Promise.all(others.map(({ store }) => store.get(sent(ref))));
    for (const each of got) assert.deepEqual(each, { value, name: "weights" });
  });

  it("come from another that has them while the owner serves two", async (t) => {
    const [owner, first, second] = await hosts(t, 3);
    const ref = await owner!.store.put(new Uint8Array(9 * mib).fill(4), "me");
    const held = await first!.store.get(sent(ref));
    await occupy(owner!.store, ref.id);
    const got = await second!.store.get(sent(ref)); // the owner's two places are taken for a minute
    assert.ok(got.length === 9 * mib && got.every((byte) => byte === 4));
    assert.equal(held[0], 4);
  });

  it("come from the owner after all when that other has gone", async (t) => {
    const [owner, first, second] = await hosts(t, 3);
    const ref = await owner!.store.put(new Uint8Array(9 * mib).fill(4), "me");
    const held = await first!.store.get(sent(ref));
    await occupy(owner!.store, ref.id);
    first!.store.close();
    const getting = second!.store.get(sent(ref));
    owner!.store.exchange.ended(ref.id, x, false);
    assert.ok((await getting).every((byte) => byte === 4));
    assert.equal(held.length, 9 * mib);
  });

  it("from disk too, and are NOT_FOUND once freed", async (t) => {
    const [owner, other] = await hosts(t, 2, { memory: mib, disk: 64 * mib });
    const ref = await owner!.store.put(new Uint8Array(2 * mib).fill(6), "me");
    assert.equal(owner!.store.list().own[0]!.where, "disk");
    assert.ok((await other!.store.get(sent(ref))).every((byte) => byte === 6));
    const another = await owner!.store.put(new Uint8Array(2 * mib).fill(7), "me");
    owner!.store.drop(another.id);
    await assert.rejects(other!.store.get(sent(another)), (error) => isActorsError(error, "NOT_FOUND"));
  });

  it("reach each host once, where its processes share the memory for as long as any of them reads it", async (t) => {
    const [owner, a, ...others] = await hosts(t, 8, roomy, (i) => (i === 0 ? "owner" : `host ${i % 2}`));
    const bytes = 9 * mib;
    const ref = await owner!.store.put(new Uint8Array(bytes).fill(4), "me");
    const got = await Promise.all([a!, ...others].map(({ store }) => store.get(sent(ref))));
    for (const each of got) assert.ok(each.length === bytes && each.every((byte) => byte === 4));
    const pulled = 2 * ref.bytes;
    await until("its last bytes to have left", () => owner!.store.exchange.given >= pulled);
    got[0]![0] = 9;
    assert.deepEqual(
      got.map((each) => each[0]),
      [9, 4, 4, 4, 4, 4, 4],
    );
    for (const { store } of [a!, ...others]) store.exchange.unused(ref.id); // as if its process read it no more
    const again = await others[1]!.store.get(sent(ref));
    assert.equal(again[0], 4);
    assert.equal(owner!.store.exchange.given, pulled);
  });

  it("are pulled by another when the one that pulls for its host cannot, or says it has none", async (t) => {
    const [owner, a, b] = await hosts(t, 3, roomy, (i) => (i === 0 ? "owner" : "host"));
    const ref = await owner!.store.put(new Uint8Array(mib).fill(4), "me");
    const taker = (endpoint: EndpointId, pid: number) => ({ endpoint, host: "host", pid });
    assert.ok((await owner!.store.exchange.serve(ref.id, taker(a!.id, process.pid))).address);
    assert.equal((await b!.store.get(sent(ref)))[0], 4, "it pulls nothing");
    const another = await owner!.store.put(new Uint8Array(mib).fill(5), "me");
    const dead = taker("e-dead" as EndpointId, 2 ** 22 + 1); // no process has so high a number
    assert.ok((await owner!.store.exchange.serve(another.id, dead)).address);
    assert.equal((await b!.store.get(sent(another)))[0], 5);
  });
});
