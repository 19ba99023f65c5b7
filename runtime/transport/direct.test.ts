import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import { Cell } from "../core/cell.js";
import { encodeValue } from "../core/codec.js";
import { type ActorDef, defineActor } from "../core/definition.js";
import { Endpoint } from "../core/endpoint.js";
import { isActorsError } from "../core/errors.js";
import { type Handle, makeHandle } from "../core/handle.js";
import { type ActorId, type EndpointId, newEndpointId } from "../core/ids.js";
import { pause } from "../core/wait.js";
import type { Location, Resolver } from "../directory/directory.js";
import { DirectTransport } from "./direct.js";
import { encodeHello, framed } from "./framing.js";
import { MemoryNetwork } from "./memory.js";

/** Writes down what ran, in order, by caller. */
class Log {
  readonly ran = new Map<number, number[]>();
  note(caller: number, n: number, _ballast?: Uint8Array) {
    const list = this.ran.get(caller) ?? [];
    this.ran.set(caller, list);
    list.push(n);
    return n;
  }
  /** A frame of it has more bytes beside its payload than the outbox counts. */
  weighAMessageThatIsAsLargeAsTheOutboxTakesThem(ballast: Uint8Array) {
    return ballast.length;
  }
}
const log = defineActor({ name: "test.log", module: import.meta.url, class: Log });

/** Stands before a peer's socket: cuts the stream into pieces that come late, stalls, breaks. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #peer: string;
  #stalled = false;
  opened = 0;
  bytes = 0;

  constructor(path: string) {
    this.#peer = `${path}.peer`;
    renameSync(path, this.#peer);
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#join(near)).listen(path);
  }

  stall(stalled: boolean) {
    this.#stalled = stalled;
    for (const socket of this.#sockets) stalled ? socket.pause() : socket.resume();
  }

  break() {
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.break();
    this.#server.close();
  }

  #join(near: Socket) {
    this.opened++;
    const far = createConnection({ path: this.#peer, allowHalfOpen: true });
    this.#pass(near, far);
    this.#pass(far, near);
  }

  #pass(from: Socket, to: Socket) {
    const pieces: Buffer[] = [];
    let ended = false;
    const pump = () => {
      const piece = pieces.shift();
      if (piece) to.write(piece);
      if (pieces.length > 0) setImmediate(pump);
      else if (ended) to.end();
    };
    this.#sockets.add(from);
    if (this.#stalled) from.pause();
    from.on("data", (chunk) => {
      this.bytes += chunk.length;
      const half = chunk.length >> 1;
      if (pieces.push(chunk.subarray(0, half), chunk.subarray(half)) === 2) setImmediate(pump);
    });
    from.once("end", () => {
      ended = true;
      if (pieces.length === 0) to.end();
    });
    from.on("error", () => {});
    from.once("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}

interface Peer {
  endpoint: Endpoint;
  instance: Log;
  wire: Wire;
  logs: Handle<Log>[];
}

/** Endpoints on direct links beside a network in memory, an actor on each. */
async function setUp(count: number, t?: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "direct-test-"));
  const network = new MemoryNetwork();
  const places = new Map<ActorId, EndpointId>();
  const resolver: Resolver = {
    resolve: (id): Location => ({ state: "running", endpoint: places.get(id)!, epoch: 1, failure: undefined }),
    onChange: () => () => {},
  };
  const peers: Peer[] = [];
  for (let i = 0; i < count; i++) {
    const id = newEndpointId("worker");
    const endpoint = new Endpoint(id, await DirectTransport.open(network.open(id), dir, id), resolver);
    const instance = new Log();
    endpoint.server.host(new Cell({ id: `a${i}` as ActorId, epoch: 1, def: log as never }, instance, () => {}));
    places.set(`a${i}` as ActorId, id);
    peers.push({ endpoint, instance, wire: new Wire(join(dir, `${id}.sock`)), logs: [] });
  }
  for (const { endpoint, logs } of peers) {
    for (let i = 0; i < count; i++)
      logs.push(makeHandle(endpoint.calls, `a${i}` as ActorId, log as ActorDef<Log, never>));
  }
  const close = async () => {
    await Promise.all(peers.map(({ endpoint }) => endpoint.close("end")));
    for (const { wire } of peers) wire.close();
    rmSync(dir, { recursive: true, force: true });
  };
  t?.after(close);
  return { dir, network, peers, close };
}

/** Calls from the first to the second until what went past the network says that the links of both are open. */
async function untilDirect({ network, peers: [a, b] }: { network: MemoryNetwork; peers: Peer[] }): Promise<void> {
  for (let n = -1; ; n--) {
    network.cut();
    const calls = await Promise.race([a!.logs[1]!.note(9, n).then(() => true), pause(20).then(() => false)]);
    network.mend();
    if (calls && a!.wire.opened > 0 && b!.wire.opened > 0) return;
    for (let i = 0; i < 10; i++) await a!.logs[1]!.note(8, i);
  }
}

const step = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant("call" as const), from: fc.nat(2), to: fc.nat(2) }) },
  { weight: 24, arbitrary: fc.record({ do: fc.constant("turns" as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("break" as const), at: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("stall" as const), at: fc.nat(2), stalled: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("cut" as const, "mend" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rest" as const) }) },
);

test("every call runs once and in its caller's order, whatever links and network do meanwhile", {
  timeout: 120_000,
}, async () => {
  let opened = 0;
  const steps = fc.array(step, { minLength: 60, maxLength: 300, size: "max" });
  const property = fc.asyncProperty(steps, async (list) => {
    const { network, peers, close } = await setUp(3);
    const sent = new Map<string, number>();
    const calls: Promise<number>[] = [];
    for (const each of list) {
      if (each.do === "call") {
        const pair = `${each.from} ${each.to}`;
        const n = sent.get(pair) ?? 0;
        sent.set(pair, n + 1);
        calls.push(peers[each.from]!.logs[each.to]!.note(each.from, n));
      } else if (each.do === "turns") {
        for (let i = 0; i < each.count; i++) await new Promise((resolve) => setImmediate(resolve));
      } else if (each.do === "break") peers[each.at]!.wire.break();
      else if (each.do === "stall") peers[each.at]!.wire.stall(each.stalled);
      else if (each.do === "rest")
        await pause(60); // a lost link may be opened again by now
      else network[each.do]();
    }
    network.mend();
    for (const { wire } of peers) wire.stall(false);
    await Promise.all(calls);
    for (const [pair, count] of sent) {
      const [from, to] = pair.split(" ").map(Number) as [number, number];
      assert.deepEqual(
        peers[to]!.instance.ran.get(from),
        Array.from({ length: count }, (_, i) => i),
        `from ${from} to ${to}`,
      );
    }
    opened += peers.reduce((sum, { wire }) => sum + wire.opened, 0);
    await close();
  });
  await fc.assert(property, { numRuns: 40 });
  assert.ok(opened > 40, `only ${opened} links were opened in all runs`);
});

test("calls over open links go on while the network is cut, and go back to it when the link is lost", async (t) => {
  const c = await setUp(2, t);
  const [a, b] = c.peers as [Peer, Peer];
  await untilDirect(c);
  c.network.cut();
  for (let n = 0; n < 20; n++) assert.equal(await a.logs[1]!.note(0, n), n);
  a.wire.break();
  b.wire.break();
  const waiting = a.logs[1]!.note(0, 20);
  c.network.mend();
  assert.equal(await waiting, 20);
  assert.deepEqual(
    b.instance.ran.get(0),
    Array.from({ length: 21 }, (_, i) => i),
  );
  await untilDirect(c);
});

test("a peer without a socket is looked for once", async (t) => {
  const c = await setUp(2, t);
  const [a, b] = c.peers as [Peer, Peer];
  a.wire.close();
  b.wire.close(); // as after kill -9 there is nobody behind the path
  for (let n = 0; n < 50; n++) assert.equal(await a.logs[1]!.note(0, n), n);
  await pause(60);
  c.network.cut();
  const call = a.logs[1]!.note(0, 50);
  assert.equal(await Promise.race([call, pause(50).then(() => "waits")]), "waits");
  c.network.mend();
  assert.equal(await call, 50);
  assert.deepEqual([a.wire.opened, b.wire.opened], [0, 0]);
});

test("a peer that does not read fills 48 MiB, then calls to it fail with OVERLOADED and others are answered", async (t) => {
  const c = await setUp(3, t);
  const [a, b] = c.peers as [Peer, Peer];
  await untilDirect(c);
  b.wire.stall(true);
  const ballast = new Uint8Array(1 << 20);
  const calls = Array.from({ length: 80 }, (_, n) => a.logs[1]!.note(0, n, ballast));
  const settled = Promise.allSettled(calls);
  await assert.rejects(calls.at(-1)!, (error) => isActorsError(error, "OVERLOADED"));
  assert.equal(await a.logs[2]!.note(0, 0, ballast), 0);
  const before = b.wire.bytes;
  b.wire.stall(false);
  const taken = (await settled).filter(({ status }) => status === "fulfilled").length;
  assert.ok(taken >= 46 && taken <= 60, `${taken} MiB were taken`);
  assert.ok(b.wire.bytes - before > taken << 19, "over the link, not around it");
  assert.deepEqual(
    b.instance.ran.get(0),
    Array.from({ length: taken }, (_, i) => i),
  );
});

test("the largest message that is taken goes over a link", async (t) => {
  const c = await setUp(2, t);
  const [a] = c.peers as [Peer];
  await untilDirect(c);
  c.network.cut();
  for (let bytes = 8 << 20; ; bytes--) {
    const call = a.logs[1]!.weighAMessageThatIsAsLargeAsTheOutboxTakesThem(new Uint8Array(bytes));
    const refused = await call.then(
      () => false,
      (error) => isActorsError(error, "INVALID_ARGUMENT"),
    );
    if (!refused) return assert.equal(await call, bytes);
  }
});

test("what was said before the end is heard, and no socket file is left", async (t) => {
  const c = await setUp(2, t);
  const [a, b] = c.peers as [Peer, Peer];
  await untilDirect(c);
  const { length } = b.instance.ran.get(9)!;
  for (let n = 0; n < 100; n++) a.logs[1]!.note.tell(0, n);
  await a.endpoint.close("end");
  await pause(0);
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(b.instance.ran.get(0)?.length, 100);
  assert.equal(b.instance.ran.get(9)!.length, length);
  await b.endpoint.close("end");
  assert.deepEqual(
    readdirSync(c.dir).filter((name) => name.endsWith(".sock")),
    [],
  );
});

test("a link for which the base has not vouched carries nothing, however often it says hello", async (t) => {
  const c = await setUp(2, t);
  const [a, b] = c.peers as [Peer, Peer];
  const forge = (link: string) => {
    const socket = createConnection(join(c.dir, `${b.endpoint.id}.sock`));
    socket.on("error", () => {}).resume();
    socket.write(framed(encodeHello({ from: a.endpoint.id, link })));
    const call = { kind: actors.v1.FrameKind.TELL, actor: "a1", method: "note", payload: encodeValue([7, 1]) };
    socket.write(framed(actors.v1.Batch.encode({ frames: [call] }).finish()));
    return once(socket, "close");
  };
  await Promise.all([forge("l1"), forge("l1"), forge("l2")]);
  assert.equal(b.instance.ran.get(7), undefined);
});

test("where no socket can be opened the base alone is used", async () => {
  const id = newEndpointId("worker");
  const base = new MemoryNetwork().open(id);
  assert.equal(await DirectTransport.open(base, join(tmpdir(), "no-such-folder"), id), base);
  assert.equal(await DirectTransport.open(base, join(tmpdir(), "x".repeat(100)), id), base);
});
