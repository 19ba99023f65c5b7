import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import type { Location, Resolver } from "../directory/directory.js";
import { MemoryNetwork } from "../transport/memory.js";
import { Cell } from "./cell.js";
import { type ActorDef, defineActor } from "./definition.js";
import { Endpoint } from "./endpoint.js";
import { ActorsError, isActorsError } from "./errors.js";
import { type Handle, makeHandle } from "./handle.js";
import { type ActorId, newEndpointId } from "./ids.js";

const id = "a1" as ActorId;
const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Its exclusive handler takes a turn of the loop, so that callers outrun it. */
class Clerk {
  readonly ran: [from: number, n: number][] = [];
  together = 0;
  most = 0;
  leave: (() => void)[] = [];
  async note(from: number, n: number) {
    this.ran.push([from, n]);
    await aTurn();
    return n;
  }
  async chat(n: number) {
    this.most = Math.max(this.most, ++this.together);
    await aTurn();
    this.together--;
    return n;
  }
  sit() {
    return new Promise<void>((resolve) => this.leave.push(resolve));
  }
}
const clerk = defineActor({
  name: "test.clerk",
  module: import.meta.url,
  class: Clerk,
  shared: ["chat"],
  concurrency: 3,
});

class Places implements Resolver {
  at: Location = { state: "waiting", endpoint: "" as Location["endpoint"], epoch: 0, failure: undefined };
  readonly #listeners = new Set<(id: ActorId) => void>();
  resolve = () => this.at;
  onChange(changed: (id: ActorId) => void) {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
  move(at: Location) {
    this.at = at;
    for (const tell of this.#listeners) tell(id);
  }
}

function setUp(callers: number, mailbox: number) {
  const network = new MemoryNetwork();
  const places = new Places();
  const open = () => {
    const at = newEndpointId("client");
    return new Endpoint(at, network.open(at), places);
  };
  const endpoints = Array.from({ length: callers }, open);
  const clerks = endpoints.map(({ calls }): Handle<Clerk> => makeHandle(calls, id, clerk as ActorDef<Clerk, never>));
  const incarnate = () => {
    const endpoint = open();
    endpoints.push(endpoint);
    const instance = new Clerk();
    const epoch = places.at.epoch + 1;
    const cell = new Cell({ id, epoch, def: clerk as unknown as ActorDef, mailbox }, instance, () => {});
    endpoint.server.host(cell);
    places.move({ state: "running", endpoint: endpoint.id, epoch, failure: undefined });
    return { instance, cell, endpoint };
  };
  return {
    network,
    places,
    endpoints,
    clerks,
    incarnate,
    close: () => Promise.all(endpoints.map((e) => e.close("end"))),
  };
}

test("many fast callers of one actor are slowed: all is answered in order, and its mailbox stays within its bound", async () => {
  const { clerks, incarnate, close } = setUp(5, 4);
  const { instance, cell } = incarnate();
  let deepest = 0;
  const watch = setInterval(() => {
    deepest = Math.max(deepest, cell.depth);
  }, 0);
  const calls = clerks.flatMap((c, from) => Array.from({ length: 200 }, (_, n) => c.note(from, n)));
  await Promise.all(calls);
  clearInterval(watch);
  assert.ok(deepest >= 1 && deepest <= 4, `${deepest}`);
  for (const from of clerks.keys()) {
    const order = instance.ran.filter(([by]) => by === from).map(([, n]) => n);
    assert.deepEqual(order, Array.from(order.keys()));
    assert.equal(order.length, 200);
  }
  assert.equal(cell.report().callersHeld, 0);
  await close();
});

test("no more shared handlers are under way than the actor's concurrency, and an exclusive one holds none of them up", async () => {
  const { clerks, incarnate, close } = setUp(2, 4);
  const { instance } = incarnate();
  const sitting = clerks[0]!.sit();
  const calls = clerks.flatMap((c) => Array.from({ length: 100 }, (_, n) => c.chat(n)));
  assert.deepEqual((await Promise.all(calls)).length, 200);
  assert.equal(instance.most, 3);
  instance.leave[0]!();
  await sitting;
  await close();
});

test("calls and tells run once and in order, whatever the bound, the callers and the moments at which the link is lost", async () => {
  const steps = fc.array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ by: fc.nat(2), count: fc.integer({ min: 1, max: 12 }), tell: fc.boolean() }),
      },
      { weight: 2, arbitrary: fc.constant("turn" as const) },
      { weight: 1, arbitrary: fc.constant("cut" as const) },
    ),
    { minLength: 1, maxLength: 30 },
  );
  const check = async (mailbox: number, list: typeof steps extends fc.Arbitrary<infer T> ? T : never) => {
    const { network, clerks, incarnate, close } = setUp(3, mailbox);
    const { instance } = incarnate();
    const sent = [0, 0, 0];
    const calls: Promise<unknown>[] = [];
    const surely: [number, number][] = [];
    for (const step of list) {
      if (step === "turn") await aTurn();
      else if (step === "cut") {
        network.cut();
        await aTurn();
        network.mend();
      } else {
        for (let i = 0; i < step.count; i++) {
          const n = sent[step.by]!++;
          if (step.tell) calls.push(clerks[step.by]!.note.tell(step.by, n));
          else {
            calls.push(clerks[step.by]!.note(step.by, n));
            surely.push([step.by, n]);
          }
        }
      }
    }
    for (const [by, c] of clerks.entries()) calls.push(c.note(by, sent[by]!++)); // the tells before it have run by then
    await Promise.all(calls);
    for (const by of [0, 1, 2]) {
      const order = instance.ran.filter(([from]) => from === by).map(([, n]) => n);
      for (let i = 1; i < order.length; i++) assert.ok(order[i]! > order[i - 1]!, `${by}: ${order}`);
      const expected = surely.filter(([from]) => from === by).map(([, n]) => n);
      for (const n of expected) assert.ok(order.includes(n), `${by}: ${n} never ran`);
      if (!list.includes("cut")) assert.equal(order.length, sent[by]);
    }
    await close();
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 8 }), steps, check), { numRuns: 60 });
});

test("what is held back goes to the next incarnation, and fails with an actor that is gone", async () => {
  const { places, clerks, incarnate, close } = setUp(1, 1);
  incarnate();
  const c = clerks[0]!;
  const sitting = assert.rejects(c.sit(), (e) => isActorsError(e, "ACTOR_DIED"));
  await aTurn();
  const lost = assert.rejects(c.note(0, 0), (e) => isActorsError(e, "ACTOR_DIED")); // it waits in the mailbox
  const held = [c.note(0, 1), c.note(0, 2)];
  for (let i = 0; i < 6; i++) await aTurn();
  const { instance } = incarnate();
  await Promise.all([sitting, lost]);
  assert.deepEqual(await Promise.all(held), [1, 2]);
  assert.deepEqual(instance.ran, [
    [0, 1],
    [0, 2],
  ]);

  const again = [c.sit(), c.note(0, 3), c.note(0, 4)].map((call) => assert.rejects(call));
  for (let i = 0; i < 6; i++) await aTurn();
  const told = c.note.tell(0, 5);
  places.move({ ...places.at, state: "gone", failure: new ActorsError("ACTOR_STOPPED", "it was stopped") });
  await Promise.all([...again, told]);
  await close();
});

test("a call that its caller gave up while it was held back never runs, and what follows it does", async () => {
  const { clerks, incarnate, close } = setUp(1, 1);
  const { instance } = incarnate();
  const c = clerks[0]!;
  const sitting = c.sit();
  await aTurn();
  const leave = new AbortController();
  const first = c.note(0, 0);
  const given = c.note.with({ signal: leave.signal })(0, 1);
  const late = c.note.with({ timeoutMs: 20 })(0, 2);
  const last = c.note(0, 3);
  for (let i = 0; i < 6; i++) await aTurn();
  leave.abort();
  await assert.rejects(given, (e) => isActorsError(e, "CANCELLED"));
  await assert.rejects(late, /note on a1: its mailbox had no room within 20 ms/);
  instance.leave[0]!();
  assert.deepEqual(await Promise.all([sitting, first, last]), [undefined, 0, 3]);
  assert.deepEqual(instance.ran, [
    [0, 0],
    [0, 3],
  ]);
  await close();
});

test("a caller that does not take calls back is refused", async () => {
  const { endpoints, clerks, incarnate, network, places, close } = setUp(1, 1);
  const { instance, endpoint } = incarnate();
  const sitting = clerks[0]!.sit();
  const queued = clerks[0]!.note(0, 0);
  for (let i = 0; i < 3; i++) await aTurn();
  const stranger = newEndpointId("client");
  const link = network.open(stranger);
  const answer = new Promise<actors.v1.Batch>((resolve) => link.onBatch((b) => resolve(actors.v1.Batch.decode(b))));
  const frame = { kind: actors.v1.FrameKind.CALL, id: 1, actor: id, method: "note", epoch: places.at.epoch };
  link.send(endpoint.id, actors.v1.Batch.encode({ from: stranger, frames: [frame] }).finish());
  const [refusal] = (await answer).frames;
  assert.equal(refusal!.error?.code, "OVERLOADED");
  instance.leave[0]!();
  await Promise.all([sitting, queued]);
  assert.equal(endpoints.length, 2);
  await close();
});
