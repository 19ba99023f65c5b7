import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actors } from "#protos";
import { isActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import { type ActorRecord, ActorState, Directory } from "../directory/directory.js";
import { MemoryStore } from "../directory/store.js";
import { Agent } from "./agent.js";

const recordOf = (epoch: number, state = ActorState.STARTING) =>
  new actors.v1.ActorRecord({ id: "a1" as ActorId, def: "test", node: "n1", epoch, state });
const encoded = (record: ActorRecord) => actors.v1.ActorRecord.encode(record).finish();

/** An agent, in a cluster whose directory says that of the actor. */
async function agentWhere(record: ActorRecord) {
  const store = new MemoryStore();
  await store.create(`actor.${record.id}`, encoded(record));
  const started: number[] = [];
  const start = (asked: ActorRecord) => {
    started.push(asked.epoch);
    return Promise.resolve({ endpoint: "e1", pid: 1, stop: async () => {} });
  };
  const runtime = { resolver: await Directory.open(store) } as unknown as Runtime;
  return { agent: new Agent(runtime, { inline: start, thread: start, process: start }), started };
}
const notHere = (error: unknown) => isActorsError(error, "NOT_HERE");

describe("an agent that is asked for a start", () => {
  it("refuses an incarnation that was replaced elsewhere, asked for by a coordinator that was cut off", async () => {
    const { agent, started } = await agentWhere(recordOf(3));
    await assert.rejects(agent.start(encoded(recordOf(2))), notHere);
    assert.deepEqual(started, []);
  });

  it("refuses one of an actor that was stopped meanwhile", async () => {
    const { agent, started } = await agentWhere(recordOf(2, ActorState.STOPPED));
    await assert.rejects(agent.start(encoded(recordOf(2))), notHere);
    assert.deepEqual(started, []);
  });

  it("starts the one that the directory tells of, once, and one that it does not tell of yet", async () => {
    const { agent, started } = await agentWhere(recordOf(2));
    await Promise.all([agent.start(encoded(recordOf(2))), agent.start(encoded(recordOf(2)))]);
    await agent.start(encoded(recordOf(3)));
    assert.deepEqual(started, [2, 3]);
  });
});
