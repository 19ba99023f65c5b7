import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { localSystem } from "../cluster/local.js";
import { until } from "../cluster/testing.js";
import type { ActorContext } from "../hosting/instance.js";
import type { ActorSystem } from "../system.js";
import { defineActor } from "./definition.js";
import { type ActorsError, isActorsError } from "./errors.js";
import { Counter, counter } from "./testing-actors.js";

class Fragile {
  constructor() {
    throw new Error("no luck");
  }
  go() {}
}
const fragile = defineActor({ name: "test.fragile", module: import.meta.url, class: Fragile });

const hasCode = (code: string) => (error: unknown) => isActorsError(error) && error.code === code;

describe("actors in one process", () => {
  let system: ActorSystem;
  before(async () => {
    system = await localSystem({ nodes: 2 });
  });
  after(() => system.close());

  it("answers calls with the method's value", async () => {
    const c = await system.spawn(counter, { args: [10] });
    assert.equal(await c.add(2), 12);
    assert.equal(await c.add(3), 15);
  });

  it("runs handlers one at a time, in the order they were called", async () => {
    const c = await system.spawn(counter);
    const sums = await Promise.all([c.addSlowly(1), c.addSlowly(1), c.add(1), c.addSlowly(1)]);
    assert.deepEqual(sums, [1, 2, 3, 4]);
  });

  it("lets shared methods in while another handler waits", async () => {
    const c = await system.spawn(counter, { args: [7] });
    const slow = c.addSlowly(1);
    assert.equal(await c.peek(), 7);
    assert.equal(await slow, 8);
  });

  it("delivers a tell in order with calls", async () => {
    const c = await system.spawn(counter);
    c.add.tell(5);
    assert.equal(await c.add(1), 6);
  });

  it("treats a message as a value that no one else can change", async () => {
    const c = await system.spawn(counter);
    const mine = [1, 2];
    const theirs = await c.keep(mine);
    assert.deepEqual(mine, [1, 2]);
    assert.deepEqual(theirs, [1, 2, 99]);
  });

  it("keeps code, message and name of what a handler threw", async () => {
    const c = await system.spawn(counter);
    await assert.rejects(c.boom(), (error: ActorsError) => {
      assert.equal(error.message, "[USER_ERROR] bad input");
      assert.deepEqual(error.details, { name: "TypeError", code: "E_BAD" });
      assert.match(error.stack ?? "", /thrown remotely/);
      return true;
    });
    assert.equal(await c.add(1), 1, "a throw does not end the actor");
  });

  it("streams all items, and cancels at the producer when the reader leaves", async () => {
    const c = await system.spawn(counter);
    const seen: number[] = [];
    for await (const i of c.upTo(1000)) seen.push(i);
    assert.deepEqual(
      seen,
      Array.from({ length: 1000 }, (_, i) => i),
    );
    for await (const i of c.upTo(1_000_000)) if (i > 300) break;
    await until("the producer's end", async () => (await c.closings()).length > 1); // streams run beside other calls
    assert.deepEqual(await c.closings(), ["upTo 1000", "upTo 1000000"]);
  });

  it("delivers the items before a stream's error, then the error", async () => {
    const c = await system.spawn(counter);
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const i of c.failAfter(3)) seen.push(i);
    }, /no more/);
    assert.deepEqual(seen, [0, 1, 2]);
  });

  it("passes handles in arguments", async () => {
    const a = await system.spawn(counter);
    const b = await system.spawn(counter, { args: [100] });
    assert.equal(await a.addTo(b, 5), 105);
  });

  it("carries typed arrays, Map, Set, Date and undefined unchanged", async () => {
    const c = await system.spawn(counter);
    for (const value of [
      new Float32Array([1, 2.5]),
      new Map([[1, "a"]]),
      new Set([3]),
      new Date(5),
      undefined,
      null,
      10n,
    ]) {
      assert.deepEqual(await c.echo(value), value);
    }
  });

  it("rejects at the deadline and cancels the handler", async () => {
    const c = await system.spawn(counter);
    await assert.rejects(c.hang.with({ timeoutMs: 30 })(), (error: ActorsError) => {
      assert.equal(error.code, "DEADLINE_EXCEEDED");
      assert.match(error.message, /hang on a\w+: no answer within 30 ms/);
      return true;
    });
    const [first] = await c.closings();
    assert.match(first!, /^hang: (CANCELLED|DEADLINE_EXCEEDED)$/);
  });

  it("rejects at once when the caller's signal aborts", async () => {
    const c = await system.spawn(counter);
    const abort = new AbortController();
    const call = c.hang.with({ signal: abort.signal })();
    abort.abort(new Error("enough"));
    await assert.rejects(call, hasCode("CANCELLED"));
  });

  it("holds a fast caller back while the mailbox is full", async () => {
    const c = await system.spawn(counter, { mailbox: 2 });
    const sums = await Promise.all(Array.from({ length: 100 }, () => c.addSlowly(1)));
    assert.deepEqual(
      sums,
      sums.map((_, i) => i + 1),
    );
  });

  it("tells why an actor did not start, and gives its name back", async () => {
    await assert.rejects(system.spawn(fragile, { name: "f" }), (error: ActorsError) => {
      assert.equal(error.code, "START_FAILED");
      assert.match(error.message, /test.fragile|f\(a\w+\) did not start: no luck/);
      return true;
    });
    const c = await system.spawn(counter, { name: "f" });
    assert.equal(system.lookup(counter, "f").id, c.id);
  });

  it("refuses a second actor under a live name", async () => {
    const c = await system.spawn(counter, { name: "only" });
    await assert.rejects(system.spawn(counter, { name: "only" }), hasCode("NAME_TAKEN"));
    await system.stop(c);
    await system.spawn(counter, { name: "only" });
  });

  it("fails calls to a stopped actor at once", async () => {
    const c = await system.spawn(counter);
    await system.stop(c);
    await assert.rejects(c.add(1), hasCode("ACTOR_STOPPED"));
  });

  it("says what is missing when no node can hold an actor", async () => {
    await assert.rejects(system.spawn(counter, { gpus: 1 }), (error: ActorsError) => {
      assert.equal(error.code, "INFEASIBLE");
      assert.match(error.message, /n[12] lacks gpus 1 \(0 free\); n[12] lacks gpus 1 \(0 free\)/);
      return true;
    });
  });

  it("spreads a group over the nodes and calls it with adverbs", async () => {
    const group = await system.spawnGroup(counter, 4, { args: (rank): [number] => [rank * 10] });
    assert.deepEqual(await group.add.all(1), [1, 11, 21, 31]);
    assert.ok([2, 12, 22, 32].includes(await group.add.any(1)));
    const ids = new Set(group.map((member) => member.id as string));
    const nodes = system
      .ps()
      .actors.filter((a) => ids.has(a.id))
      .map((a) => a.node);
    assert.deepEqual(nodes.sort(), ["n1", "n1", "n2", "n2"]);
  });

  it("hosts an actor in a worker thread with the same semantics", async () => {
    const c = await system.spawn(counter, { args: [5], hosting: "thread" });
    assert.equal(await c.add(1), 6);
    const seen: number[] = [];
    for await (const i of c.upTo(600)) seen.push(i);
    assert.equal(seen.length, 600);
    await assert.rejects(c.boom(), hasCode("USER_ERROR"));
    const inline = await system.spawn(counter, { args: [1] });
    assert.equal(await c.addTo(inline, 1), 2, "a thread reaches actors outside");
    assert.equal(await inline.addTo(c, 1), 7, "and is reached");
    await system.stop(c);
    await assert.rejects(c.add(1), hasCode("ACTOR_STOPPED"));
  });

  it("stops children with their parent", async () => {
    class Parent {
      #context: ActorContext | undefined;
      onStart(context: ActorContext) {
        this.#context = context;
      }
      child() {
        return this.#context!.system.spawn(counter);
      }
    }
    const parentDef = defineActor({ name: "test.parent", module: import.meta.url, class: Parent });
    const parent = await system.spawn(parentDef);
    const child = await parent.child();
    assert.equal(await child.add(1), 1);
    await system.stop(parent);
    await assert.rejects(child.add(1), hasCode("ACTOR_STOPPED"));
  });
});

describe("a closed system", () => {
  it("fails calls and spawns at once", async () => {
    const system = await localSystem();
    const c = await system.spawn(counter);
    await system.close();
    await assert.rejects(c.add(1), hasCode("CANCELLED"));
    await assert.rejects(system.spawn(counter), hasCode("CANCELLED"));
  });
});

describe("a definition", () => {
  it("refuses options that name no method", () => {
    assert.throws(
      () => defineActor({ name: "x", module: import.meta.url, class: Counter, idempotent: ["nope" as "add"] }),
      /actor x has no method nope/,
    );
  });

  it("makes no method of then, hooks and private names, so that a handle can be awaited", async () => {
    await using system = await localSystem();
    const c = await system.spawn(counter);
    assert.equal((c as { then?: unknown }).then, undefined);
    assert.equal(await Promise.resolve(c), c);
    assert.ok(!counter.methods.has("onStart"));
  });
});
