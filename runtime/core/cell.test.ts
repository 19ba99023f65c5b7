import assert from "node:assert/strict";
import { test } from "node:test";
import type { Location, Resolver } from "../directory/directory.js";
import { MemoryNetwork } from "../transport/memory.js";
import { Cell } from "./cell.js";
import { type ActorDef, defineActor } from "./definition.js";
import { Endpoint } from "./endpoint.js";
import { ActorsError } from "./errors.js";
import { makeHandle } from "./handle.js";
import { type ActorId, newEndpointId } from "./ids.js";

const id = "a1" as ActorId;

class Desk {
  readonly ran: string[] = [];
  leave = () => {};
  sit() {
    return new Promise<void>((resolve) => {
      this.leave = resolve;
    });
  }
  note(what: string) {
    this.ran.push(what);
    return this.ran.length;
  }
}
const desk = defineActor({ name: "test.desk", module: import.meta.url, class: Desk });

test("a call that waited in a stopped mailbox runs once the actor is there again, however often it asked meanwhile", async (t) => {
  const network = new MemoryNetwork();
  const [here, there] = [newEndpointId("client"), newEndpointId("client")];
  const at: Location = { state: "running", endpoint: there, epoch: 1, failure: undefined };
  const places: Resolver = { resolve: () => at, onChange: () => () => {} };
  const [caller, callee] = [here, there].map((e) => new Endpoint(e, network.open(e), places));
  t.after(() => Promise.all([caller!.close("the test ended"), callee!.close("the test ended")]));
  const first = new Desk();
  const host = (instance: Desk) => {
    const cell = new Cell({ id, epoch: 1, def: desk as unknown as ActorDef }, instance, () => {});
    callee!.server.host(cell);
    return cell;
  };
  const cell = host(first);
  const d = makeHandle(caller!.calls, id, desk as ActorDef<Desk, never>);
  const [sitting, noted] = [d.sit(), d.note("once")];
  while (cell.depth === 0) await new Promise(setImmediate);
  callee!.server.unhost(id);
  const stopped = cell.stop(new ActorsError("NOT_HERE", "it was stopped"));
  first.leave();
  await Promise.all([stopped, sitting]);
  const refusals = new Promise<void>((resolve) => {
    let left = 2;
    const answer = callee!.server.answer.bind(callee!.server);
    callee!.server.answer = (to, frame) => {
      if (frame.error?.code === "NOT_HERE" && --left === 0) resolve();
      answer(to, frame);
    };
  });
  await refusals;
  const second = new Desk();
  host(second);
  assert.equal(await noted, 1);
  assert.deepEqual([first.ran, second.ran], [[], ["once"]]);
});
