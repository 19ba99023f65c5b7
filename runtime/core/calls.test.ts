import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actors } from "#protos";
import type { Location, Resolver } from "../directory/directory.js";
import { MemoryNetwork } from "../transport/memory.js";
import { Cell } from "./cell.js";
import { encodeValue } from "./codec.js";
import { type ActorDef, defineActor } from "./definition.js";
import { Endpoint } from "./endpoint.js";
import { ActorsError, isActorsError } from "./errors.js";
import { type Handle, makeHandle, reviveHandle } from "./handle.js";
import { type ActorId, newEndpointId } from "./ids.js";

/** Counts what really ran; `open()` lets a held call finish. */
class Ledger {
  readonly ran: string[] = [];
  #release: (() => void) | undefined;
  note(what: string) {
    this.ran.push(what);
    return this.ran.length;
  }
  again(what: string) {
    this.ran.push(what);
    return this.ran.length;
  }
  async held(what: string) {
    this.ran.push(what);
    await new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    return what;
  }
  open() {
    this.#release?.();
  }
}
const ledger = defineActor({
  name: "test.ledger",
  module: import.meta.url,
  class: Ledger,
  idempotent: ["again"],
  shared: ["open", "held"],
});

class Lookup {
  find(request: actors.v1.SandboxExec.$Properties): actors.v1.SandboxResult.$Properties {
    return { exitCode: request.timeoutMs === 7 ? 0 : 1, data: new Uint8Array([1, 2]) };
  }
}
const lookup = defineActor({
  name: "test.lookup",
  module: import.meta.url,
  class: Lookup,
  wire: { find: { request: actors.v1.SandboxExec, reply: actors.v1.SandboxResult } },
});

class Places implements Resolver {
  at: Location = { state: "waiting", endpoint: "" as Location["endpoint"], epoch: 1, failure: undefined };
  readonly #listeners = new Set<(id: ActorId) => void>();
  resolve(): Location {
    return this.at;
  }
  onChange(changed: (id: ActorId) => void) {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
  move(at: Partial<Location>) {
    this.at = { ...this.at, ...at };
    for (const tell of this.#listeners) tell(id);
  }
}

const id = "a1" as ActorId;
/** Long enough for a message there and back: a few turns of the loop. */
async function turn() {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
}

function setUp() {
  const network = new MemoryNetwork();
  const places = new Places();
  const open = () => {
    const endpointId = newEndpointId("client");
    return new Endpoint(endpointId, network.open(endpointId), places);
  };
  const host = (endpoint: Endpoint, epoch: number) => {
    const instance = new Ledger();
    endpoint.server.host(new Cell({ id, epoch, def: ledger as unknown as ActorDef }, instance, () => {}));
    return instance;
  };
  const caller = open();
  const callee = open();
  const handle: Handle<Ledger> = makeHandle(caller.calls, id, ledger as ActorDef<Ledger, never>);
  return {
    network,
    places,
    caller,
    callee,
    handle,
    host,
    open,
    close: () => Promise.all([caller.close("end"), callee.close("end")]),
  };
}

describe("a call", () => {
  it("waits for an actor that is starting", async () => {
    const { places, callee, handle, host, close } = setUp();
    const call = handle.note("x");
    host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    assert.equal(await call, 1);
    await close();
  });

  it("is sent again after a lost link and runs once, whether the request or the answer was lost", async () => {
    const { network, places, callee, handle, host, close } = setUp();
    const instance = host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    await handle.note("warm");

    const answerLost = handle.held("answer lost");
    await turn();
    assert.deepEqual(instance.ran, ["warm", "answer lost"]);
    network.cut();
    instance.open(); // it answers while the link is down
    await turn();
    const requestHeld = handle.note("sent while down");
    await turn();
    network.mend();
    assert.equal(await answerLost, "answer lost");
    assert.equal(await requestHeld, 3);
    assert.deepEqual(instance.ran, ["warm", "answer lost", "sent while down"]);
    await close();
  });

  it("in flight when the link vanished mid-way runs once on the same incarnation", async () => {
    const { network, places, callee, handle, host, close } = setUp();
    const instance = host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    const call = handle.note("lost on the way");
    await Promise.resolve().then(() => network.cut()); // the batch left and is dropped
    await turn();
    assert.deepEqual(instance.ran, []);
    network.mend();
    assert.equal(await call, 1);
    assert.deepEqual(instance.ran, ["lost on the way"]);
    await close();
  });

  it("counts as settled, so that its answer need not be kept, once it and all before it have ended", async () => {
    const { places, caller, callee, handle, host, close } = setUp();
    host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    await Promise.all([handle.note("a"), handle.note("b")]);
    const open = handle.held("c");
    await turn();
    assert.equal(caller.calls.settled, 3); // ids begin at 1, and the third has not ended
    await handle.note("d");
    assert.equal(caller.calls.settled, 3);
    handle.open.tell();
    await open;
    assert.equal(caller.calls.settled, 6);
    await close();
  });

  it("is answered, and not run twice, after more calls than 32 bits can count", async () => {
    const { network, callee, host, close } = setUp();
    const instance = host(callee, 1);
    const stranger = newEndpointId("client");
    const link = network.open(stranger);
    const answered: unknown[] = [];
    link.onBatch((batch) => answered.push(...actors.v1.Batch.decode(batch).frames.map((frame) => frame.id)));
    const call = (callId: number, settled: number, attempt = 0) => {
      const frame = {
        kind: actors.v1.FrameKind.CALL,
        id: callId,
        actor: id,
        epoch: 1,
        method: "note",
        payload: encodeValue(["x"]),
        attempt,
      };
      link.send(
        callee.id,
        actors.v1.Batch.encode({ frames: [{ ...frame, codec: actors.v1.Codec.MSGPACK }], settled }).finish(),
      );
    };
    call(2 ** 32 - 1, 2 ** 32 - 1);
    call(2 ** 32 + 5, 2 ** 32 + 5);
    await turn();
    call(2 ** 32 + 5, 2 ** 32 + 5, 1); // again, as after a lost link
    call(2 ** 32 + 4, 2 ** 32 + 5, 1); // late: it has ended for its caller
    await turn();
    assert.deepEqual(answered, [2 ** 32 - 1, 2 ** 32 + 5, 2 ** 32 + 5]);
    assert.equal(instance.ran.length, 2);
    await close();
  });

  it("keeps its order with later ones across a lost link", async () => {
    const { network, places, callee, handle, host, close } = setUp();
    const instance = host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    const lost = handle.note("first");
    await Promise.resolve().then(() => network.cut());
    const queued = handle.note("second");
    await turn();
    network.mend();
    await Promise.all([lost, queued]);
    assert.deepEqual(instance.ran, ["first", "second"]);
    await close();
  });

  it("that has not left yet when the link comes back runs once", async () => {
    const { network, places, callee, handle, host, close } = setUp();
    const instance = host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    const calls = [handle.note("first"), handle.note("second")];
    network.cut();
    network.mend(); // before the end of the tick, when a batch leaves
    assert.deepEqual(await Promise.all(calls), [1, 2]);
    await turn();
    assert.deepEqual(instance.ran, ["first", "second"]);
    await close();
  });

  it("fails with ACTOR_DIED when the incarnation that had it is gone", async () => {
    const { places, callee, handle, host, close } = setUp();
    host(callee, 1);
    places.move({ state: "running", endpoint: callee.id });
    const call = handle.held("x");
    await turn();
    places.move({ state: "waiting", epoch: 2 });
    await assert.rejects(call, (e) => isActorsError(e, "ACTOR_DIED"));
    await close();
  });

  it("that is idempotent goes to the next incarnation by itself", async () => {
    const { places, callee, handle, host, open, close } = setUp();
    places.move({ state: "running", endpoint: callee.id }); // nothing is hosted there: it never answers in time
    callee.server.host(
      new Cell({ id, epoch: 1, def: ledger as unknown as ActorDef }, { again: () => new Promise(() => {}) }, () => {}),
    );
    const call = handle.again("x");
    await turn();
    const next = open();
    const instance = host(next, 2);
    places.move({ state: "waiting", epoch: 2 });
    places.move({ state: "running", epoch: 2, endpoint: next.id });
    assert.equal(await call, 1);
    assert.deepEqual(instance.ran, ["x"]);
    await next.close("end");
    await close();
  });

  it("to an older incarnation is refused there and goes to the newer one", async () => {
    const { places, callee, handle, host, close } = setUp();
    const instance = host(callee, 2);
    places.move({ state: "running", endpoint: callee.id, epoch: 1 }); // a stale view
    const call = handle.note("x");
    await turn();
    assert.deepEqual(instance.ran, []);
    places.move({ epoch: 2 });
    assert.equal(await call, 1);
    await close();
  });

  it("fails at once when the actor is gone for good, with the reason", async () => {
    const { places, handle, close } = setUp();
    const call = handle.note("x");
    places.move({ state: "gone", failure: new ActorsError("ACTOR_STOPPED", "it was stopped") });
    await assert.rejects(call, /it was stopped/);
    await close();
  });

  it("speaks the method's protobuf messages, or the same fields in msgpack where the definition is not loaded", async () => {
    const { places, caller, callee, close } = setUp();
    callee.server.host(new Cell({ id, epoch: 1, def: lookup as unknown as ActorDef }, new Lookup(), () => {}));
    places.move({ state: "running", endpoint: callee.id });
    const known: Handle<Lookup> = makeHandle(caller.calls, id, lookup as ActorDef<Lookup, never>);
    const unknown = reviveHandle(caller.calls, { id, def: "loaded elsewhere", methods: ["find"] }) as Handle<Lookup>;
    for (const handle of [known, unknown]) {
      const { exitCode, data, error } = await handle.find({ timeoutMs: 7 });
      assert.deepEqual([exitCode, [...data!], error], [0, [1, 2], ""]);
    }
    await close();
  });

  it("whose message is malformed is dropped and counted", async () => {
    const { network, callee, close } = setUp();
    network.deliver(callee.id, new Uint8Array([0x12, 0xff, 0xff, 0xff, 0xff]), newEndpointId("client"));
    await turn();
    assert.equal(callee.malformed, 1);
    await close();
  });
});
