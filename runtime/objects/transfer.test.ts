import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { isActorsError } from "../core/errors.js";
import { type Address, pull, TransferServer } from "./transfer.js";

const mib = 1 << 20;
const token = "secret of the cluster";

function serve(t: TestContext, objects: Record<string, Uint8Array>, encrypts = false): Promise<Address> {
  const server = new TransferServer(token, "127.0.0.1", (id) => objects[id], encrypts);
  t.after(() => server.close());
  return server.address;
}

/** Stands between, and may change what the server sends on a connection, or cut it. */
async function between(t: TestContext, to: Address, change: (chunk: Buffer, nth: number, cut: () => void) => Buffer) {
  const sockets = new Set<Socket>();
  const seen: Buffer[] = [];
  let count = 0;
  const proxy = createServer((near) => {
    const nth = count++;
    const far = connect(to);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    near.on("data", (chunk) => {
      seen.push(chunk);
      far.write(chunk);
    });
    far.on("data", (chunk) => near.write(change(chunk, nth, cut)));
    near.once("close", cut);
    far.once("close", cut);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = proxy.address() as AddressInfo;
  return { address: { host: "127.0.0.1", port }, seen };
}

describe("objects between hosts", () => {
  it("arrive whole, whatever their size", async (t) => {
    const objects: Record<string, Uint8Array> = {};
    const from = await serve(t, objects);
    const sizes = fc.oneof(
      fc.integer({ min: 0, max: 100 }),
      fc.constantFrom(4 * mib - 1, 4 * mib, 4 * mib + 1, 21 * mib + 7),
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        objects["o1"] = randomBytes(size);
        const into = new Uint8Array(size);
        await pull(from, token, "o1", into);
        assert.equal(Buffer.compare(into, objects["o1"]), 0);
      }),
      { numRuns: 20 },
    );
  });

  it("a damaged chunk is noticed and pulled again", async (t) => {
    const object = randomBytes(20 * mib);
    let damaged = 0;
    const { address } = await between(t, await serve(t, { o1: object }), (chunk, nth) => {
      if (nth !== 1 || chunk.length < 1000) return chunk;
      damaged++;
      const bad = Buffer.from(chunk);
      bad[500]! ^= 1;
      return bad;
    });
    const into = new Uint8Array(object.length);
    await pull(address, token, "o1", into);
    assert.equal(Buffer.compare(into, object), 0);
    assert.ok(damaged > 0);
  });

  it("a connection cut in the middle costs a new one, not the object", async (t) => {
    const object = randomBytes(20 * mib);
    const passed = new Map<number, number>();
    let cuts = 0;
    const { address } = await between(t, await serve(t, { o1: object }), (chunk, nth, cut) => {
      passed.set(nth, (passed.get(nth) ?? 0) + chunk.length);
      if (nth < 3 && passed.get(nth)! > mib) {
        cuts++;
        cut();
      }
      return chunk;
    });
    const into = new Uint8Array(object.length);
    await pull(address, token, "o1", into);
    assert.equal(Buffer.compare(into, object), 0);
    assert.ok(cuts > 0);
  });

  it("encrypted, it arrives whole, nobody between can read it, and who does not know the token gets none", async (t) => {
    const object = Buffer.alloc(3 * mib, "plain words ");
    const from = await serve(t, { o1: object }, true);
    const { address, seen } = await between(t, from, (chunk) => {
      seen.push(chunk);
      return chunk;
    });
    const into = new Uint8Array(object.length);
    await pull({ ...address, encrypts: true }, token, "o1", into);
    assert.equal(Buffer.compare(into, object), 0);
    assert.ok(!Buffer.concat(seen).includes("plain words"));
    await assert.rejects(pull(from, "another", "o1", into), (e) => isActorsError(e, "UNAVAILABLE"));
  });

  it("what is not there is NOT_FOUND; whom nobody can reach is UNAVAILABLE, by address", async (t) => {
    const from = await serve(t, {});
    await assert.rejects(pull(from, token, "o2", new Uint8Array(10)), (e) => isActorsError(e, "NOT_FOUND"));
    const { address } = await between(t, from, (chunk, _, cut) => {
      cut();
      return chunk;
    });
    await assert.rejects(pull(address, token, "o2", new Uint8Array(10)), (error) => {
      assert.ok(isActorsError(error, "UNAVAILABLE"));
      assert.match(error.message, new RegExp(`o2 cannot be had from 127.0.0.1:${address.port}`));
      return true;
    });
  });

  it("without the token nothing is given, and nothing is taken from who does not know it; it never travels", async (t) => {
    const from = await serve(t, { o1: randomBytes(100) });
    const into = new Uint8Array(100);
    await assert.rejects(pull(from, "another", "o1", into), (e) => isActorsError(e, "UNAVAILABLE"));
    const impostor = new TransferServer("another", "127.0.0.1", () => randomBytes(100));
    t.after(() => impostor.close());
    await assert.rejects(pull(await impostor.address, token, "o1", into), (e) => isActorsError(e, "UNAVAILABLE"));
    assert.ok(into.every((byte) => byte === 0));
    const { address, seen } = await between(t, from, (chunk) => chunk);
    await pull(address, token, "o1", into);
    assert.ok(!Buffer.concat(seen).includes(token));
  });
});
