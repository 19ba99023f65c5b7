import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actors } from "#protos";
import { isActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { ActorState, Directory } from "./directory.js";
import { MemoryStore } from "./store.js";

const id = "a1" as ActorId;
const record = (state: actors.v1.ActorState, epoch = 1) =>
  new actors.v1.ActorRecord({ id, name: "n", def: "d", state, epoch, endpoint: "e1" });

describe("a record learnt from an answer", () => {
  it("is known at once, by its name too", async () => {
    const directory = await Directory.open(new MemoryStore());
    directory.hint(record(ActorState.RUNNING));
    assert.equal(directory.resolve(id).state, "running");
    assert.equal(directory.names.get("n"), id);
  });

  it("outlasts the steps that led there, when the watch tells of them late, and nothing later", async () => {
    const store = new MemoryStore();
    const directory = await Directory.open(store);
    directory.hint(record(ActorState.RUNNING, 2));
    const tell = async (state: actors.v1.ActorState, epoch: number, revision: number) => {
      const bytes = actors.v1.ActorRecord.encode(record(state, epoch)).finish();
      if (revision === 0) return store.create(`actor.${id}`, bytes);
      return store.update(`actor.${id}`, bytes, revision);
    };
    let revision = await tell(ActorState.RESTARTING, 2, 0);
    revision = await tell(ActorState.STARTING, 2, revision);
    assert.equal(directory.resolve(id).state, "running");
    revision = await tell(ActorState.RUNNING, 2, revision);
    revision = await tell(ActorState.RESTARTING, 3, revision);
    assert.equal(directory.resolve(id).state, "waiting");
    await tell(ActorState.STOPPED, 3, revision);
    assert.equal(directory.resolve(id).state, "gone");
  });

  it("does not bring back an actor whose end is known already", async () => {
    const store = new MemoryStore();
    const directory = await Directory.open(store);
    await store.create(`actor.${id}`, actors.v1.ActorRecord.encode(record(ActorState.STOPPED)).finish());
    directory.hint(record(ActorState.RUNNING));
    assert.equal(directory.resolve(id).state, "gone");
  });
});

it("a wait for a revision ends with the directory", async () => {
  const directory = await Directory.open(new MemoryStore());
  const reached = directory.reach(5, 10_000);
  directory.close();
  await assert.rejects(reached, (error) => isActorsError(error, "CANCELLED"));
});
