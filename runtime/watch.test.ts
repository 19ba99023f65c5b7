import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { actors } from "#protos";
import { localSystem } from "./cluster/local.js";
import { probe } from "./cluster/testing-actors.js";
import { defineActor } from "./core/definition.js";
import { ActorsError, isActorsError, toFailure } from "./core/errors.js";
import type { ActorId } from "./core/ids.js";
import { ActorState, Directory } from "./directory/directory.js";
import { type Entry, MemoryStore } from "./directory/store.js";
import type { ActorContext } from "./hosting/instance.js";
import { type LifecycleEvent, watchActor } from "./watch.js";

/** Lives in this process, so that what it saw last can be seen here. */
const followed: string[] = [];
class Follower {
  #context: ActorContext | undefined;
  #begin = () => {};
  readonly #begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  onStart(context: ActorContext) {
    this.#context = context;
  }
  async follow(other: object) {
    for await (const { kind } of this.#context!.system.watch(other)) {
      followed.push(kind);
      this.#begin();
    }
    followed.push("left");
  }
  begun() {
    return this.#begun;
  }
}
const follower = defineActor({
  name: "test.follower",
  module: import.meta.url,
  class: Follower,
  shared: ["follow", "begun"],
});

const hasCode = (code: string) => (error: unknown) => isActorsError(error) && error.code === code;
const id = "a1" as ActorId;

/** Tells its watchers of nothing while it is held. */
class HeldStore extends MemoryStore {
  #held: Entry[] | undefined;
  #changed: (entry: Entry) => void = () => {};

  override watch(changed: (entry: Entry) => void): Promise<() => void> {
    this.#changed = changed;
    return super.watch((entry) => (this.#held ? void this.#held.push(entry) : changed(entry)));
  }
  hold() {
    this.#held = [];
  }
  release() {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const entry of held) this.#changed(entry);
  }
}

async function world() {
  const store = new HeldStore();
  const directory = await Directory.open(store);
  const put = async (state: actors.v1.ActorState, epoch = 1, more: actors.v1.ActorRecord.$Properties = {}) => {
    const record = { id, def: "d", node: "n1", state, epoch, restarts: epoch - 1, ...more };
    const value = actors.v1.ActorRecord.encode(record).finish();
    const now = await store.get(`actor.${id}`);
    await (now ? store.update(now.key, value, now.revision) : store.create(`actor.${id}`, value));
  };
  let listening = 0;
  const onChange = directory.onChange.bind(directory);
  directory.onChange = (changed) => {
    listening++;
    const stop = onChange(changed);
    return () => {
      listening--;
      stop();
    };
  };
  return { store, directory, put, listening: () => listening };
}

const plain = ({ kind, epoch, node }: LifecycleEvent) => [kind, epoch, node];
const end = { done: true, value: undefined };

describe("a watch", () => {
  it("begins with the state now, tells each change, and ends with the actor", async () => {
    const { directory, put, listening } = await world();
    await put(ActorState.RUNNING);
    const watch = watchActor(directory, id, []);
    assert.deepEqual(plain((await watch.next()).value!), ["started", 1, "n1"]);
    const next = watch.next();
    const failure = new actors.v1.Failure(toFailure(new ActorsError("ACTOR_DIED", "it fell")));
    await put(ActorState.RESTARTING, 2, { failure });
    await put(ActorState.STARTING, 2, { failure, node: "n2" });
    await put(ActorState.RUNNING, 2, { failure, node: "n2" });
    const restarted = (await next).value!;
    assert.deepEqual(plain(restarted), ["restarted", 2, "n2"]);
    assert.equal(restarted.error?.message, "[ACTOR_DIED] it fell");
    await put(ActorState.STOPPED, 2);
    assert.deepEqual(plain((await watch.next()).value!), ["stopped", 2, "n1"]);
    assert.deepEqual(await watch.next(), end);
    assert.equal(listening(), 0);
  });

  it("gives a slow reader the newest state alone", async () => {
    const { directory, put } = await world();
    await put(ActorState.RUNNING);
    const watch = watchActor(directory, id, []);
    await watch.next();
    for (let epoch = 2; epoch <= 50; epoch++) await put(ActorState.RUNNING, epoch);
    assert.deepEqual(plain((await watch.next()).value!), ["restarted", 50, "n1"]);
    await put(ActorState.RUNNING, 51);
    await put(ActorState.FAILED, 51);
    assert.deepEqual(plain((await watch.next()).value!), ["failed", 51, "n1"]);
  });

  it("waits for an actor that is between two incarnations", async () => {
    const { directory, put } = await world();
    await put(ActorState.RESTARTING, 2);
    const next = watchActor(directory, id, []).next();
    await put(ActorState.RUNNING, 2);
    assert.deepEqual(plain((await next).value!), ["restarted", 2, "n1"]);
  });

  it("tells the end of one that ended long ago, with its last errors", async () => {
    const { directory, put } = await world();
    const crashes = [{ at: 5, epoch: 1, node: "n1", error: "[ACTOR_DIED] it fell" }];
    const failure = new actors.v1.Failure(toFailure(new ActorsError("ACTOR_DIED", "it fell")));
    await put(ActorState.FAILED, 1, { failure, crashes: crashes.map((c) => new actors.v1.Crash(c)) });
    const seen = [];
    for await (const event of watchActor(directory, id, [])) seen.push(event);
    assert.deepEqual(seen.map(plain), [["failed", 1, "n1"]]);
    const error = seen[0]!.error!;
    assert.equal(error.code, "ACTOR_STOPPED");
    assert.deepEqual(error.details["crashes"], crashes);
    assert.match((error.cause as ActorsError).message, /it fell/);
  });

  it("calls an end what is removed from the directory before its end was seen", async () => {
    const { store, directory, put } = await world();
    await put(ActorState.RUNNING);
    const watch = watchActor(directory, id, []);
    await watch.next();
    await store.delete(`actor.${id}`);
    assert.deepEqual(plain((await watch.next()).value!), ["stopped", 1, "n1"]);
  });

  it("fails with NOT_FOUND for an actor that never was", async () => {
    const { directory, listening } = await world();
    await assert.rejects(watchActor(directory, id, []).next(), hasCode("NOT_FOUND"));
    assert.equal(listening(), 0);
  });

  it("finds an actor that this copy of the directory has not heard of yet", async () => {
    const { store, directory, put } = await world();
    store.hold();
    await put(ActorState.RUNNING);
    const next = watchActor(directory, id, []).next();
    await new Promise(setImmediate);
    store.release();
    assert.deepEqual(plain((await next).value!), ["started", 1, "n1"]);
  });

  it("is released by break, by its signal, and by the end of the directory", async () => {
    const { directory, put, listening } = await world();
    await put(ActorState.RUNNING);
    const leave = new AbortController();
    for await (const _ of watchActor(directory, id, [leave.signal])) break;
    assert.equal(listening(), 0);
    assert.equal(getEventListeners(leave.signal, "abort").length, 0);

    const [left, closed] = [watchActor(directory, id, [leave.signal]), watchActor(directory, id, [])];
    await Promise.all([left.next(), closed.next()]);
    const ends = [left.next(), closed.next()];
    assert.equal(listening(), 2);
    leave.abort();
    assert.deepEqual(await ends[0], end);
    directory.close();
    assert.deepEqual(await ends[1], end);
    assert.equal(listening(), 0);
  });
});

describe("system.watch", () => {
  it("follows an actor through a crash to its stop, and keeps nothing alive", async () => {
    await using system = await localSystem();
    const p = await system.spawn(probe, { hosting: "thread", restart: { backoffMs: 1 } });
    const timers = process.getActiveResourcesInfo().sort();
    const watch = system.watch(p);
    const first = (await watch.next()).value!;
    assert.deepEqual(plain(first), ["started", 1, "n1"]);
    const next = watch.next();
    assert.deepEqual(process.getActiveResourcesInfo().sort(), timers);
    p.crash.tell();
    const restarted = (await next).value!;
    assert.deepEqual(plain(restarted), ["restarted", 2, "n1"]);
    assert.match(restarted.error!.message, /^\[ACTOR_DIED\] the thread of test\.probe.* exit code 7/);
    await system.stop(p);
    assert.deepEqual(plain((await watch.next()).value!), ["stopped", 2, "n1"]);
    assert.deepEqual(await watch.next(), end);
  });

  it("works inside an inline actor, and says why it does not in a worker thread", async () => {
    await using system = await localSystem();
    const [a, b, threaded] = await Promise.all([
      system.spawn(probe),
      system.spawn(probe),
      system.spawn(probe, { hosting: "thread" }),
    ]);
    const seen = a.watch(b);
    await a.entered();
    await system.stop(b);
    assert.deepEqual(await seen, ["started", "stopped"]);
    await assert.rejects(threaded.watch(a), (error) => {
      assert.ok(isActorsError(error, "UNAVAILABLE"));
      assert.match(error.rawMessage, /a worker thread has no copy of the directory/);
      return true;
    });
  });

  it("ends with the actor that asked for it", async () => {
    await using system = await localSystem();
    const [watcher, p] = [await system.spawn(follower), await system.spawn(probe)];
    watcher.follow.tell(p);
    await watcher.begun();
    await system.stop(watcher);
    assert.deepEqual(followed, ["started", "left"]);
    assert.equal(await p.add(1), 1);
  });

  it("refuses what is no handle", async () => {
    await using system = await localSystem();
    assert.throws(() => system.watch({}), hasCode("INVALID_ARGUMENT"));
  });

  it("ends with the system that it was asked of", async () => {
    const system = await localSystem();
    const p = await system.spawn(probe, { detached: true });
    const watch = system.watch(p);
    await watch.next();
    const next = watch.next();
    await system.close();
    assert.deepEqual(await next, end);
  });
});
