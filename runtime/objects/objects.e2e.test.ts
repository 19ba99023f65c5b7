import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, describe, it } from "node:test";
import { hasEnded, TestCluster, until } from "../cluster/testing.js";
import { isActorsError } from "../core/errors.js";
import { keeper } from "./testing-actors.js";

const mib = 1 << 20;
const hostings = ["inline", "thread", "process"] as const;
const ended: (() => Promise<void>)[] = [];
let c: TestCluster;

before(async () => {
  c = await TestCluster.start({ after: (f) => void ended.push(f as () => Promise<void>) });
});
after(async () => {
  for (const end of ended) await end();
});

const held = async () => (await c.system.introspection().objects()).objects;

/** Segments that a process has open or mapped, of any owner. */
const segmentsOf = (pid: number) =>
  readFileSync(`/proc/${pid}/maps`, "utf8")
    .split("\n")
    .filter((line) => line.includes("/memfd:actors-object")).length;

describe("objects between processes", () => {
  it("what an actor puts, the client and actors in threads and processes get", async () => {
    const all = await Promise.all(hostings.map((hosting) => c.system.spawn(keeper, { hosting })));
    for (const from of all) {
      const ref = await from.put(mib, 2);
      assert.equal((await c.system.get(ref))[mib - 1], 2);
      for (const to of all) assert.equal(await to.hold(ref), 2 * mib);
      await c.system.free(ref);
      await assert.rejects(c.system.get(ref), (error) => isActorsError(error, "NOT_FOUND"));
    }
    const mine = await c.system.put({ data: new Float64Array(mib).fill(7), name: "mine" });
    for (const to of all) assert.equal((await to.take(await c.system.get(mine))).last, 7);
    await c.system.free(mine);
    for (const each of all) {
      assert.equal(await each.heldSum(), 6 * mib, "what was freed is whole for who holds it");
      await c.system.stop(each);
    }
  });

  it("arguments and results far over the limit of a message go by themselves, and leave nothing", async () => {
    for (const hosting of hostings) {
      const k = await c.system.spawn(keeper, { hosting });
      const data = new Float64Array(4 * mib).fill(3);
      assert.deepEqual(await k.take({ data, name: "x" }), { name: "x", length: 4 * mib, last: 3 });
      const back = await k.echo({ data, at: new Map([["deep", new Uint8Array(mib).fill(1)]]) });
      assert.deepEqual(back, { data, at: new Map([["deep", new Uint8Array(mib).fill(1)]]) });
      const given = await k.give(20 * mib, 5);
      assert.ok(given.length === 20 * mib && given.every((byte) => byte === 5));
      let i = 0;
      for await (const part of k.parts(3, mib))
        assert.ok(part.length === mib && part[0] === i++ && part[mib - 1] === i - 1);
      k.tellOf.tell(new Uint8Array(mib).fill(1));
      assert.deepEqual(await k.told(), [mib]);
      assert.equal(await k.echo("x".repeat(mib)), "x".repeat(mib));
      await c.system.stop(k);
    }
    await until("the answers are let go", async () => (await held()).length === 0);
  });

  it("a call given up lets its arguments go", async () => {
    const k = await c.system.spawn(keeper, { hosting: "process" });
    await assert.rejects(k.wait.with({ timeoutMs: 100 })(new Uint8Array(mib)), (e) =>
      isActorsError(e, "DEADLINE_EXCEEDED"),
    );
    assert.deepEqual(await held(), []);
    await c.system.stop(k);
  });

  it("calls keep their order however large they are", async () => {
    const k = await c.system.spawn(keeper, { hosting: "process" });
    const sizes = [mib, 1, 3 * mib, 2, 300 << 10, 5];
    for (const size of sizes) k.tellOf.tell(new Uint8Array(size).fill(1));
    await k.pid();
    assert.deepEqual(await k.told(), sizes);
    await c.system.stop(k);
  });

  it("with the owner's process its objects are lost at once, but whole for who has mapped them; nothing stays", async () => {
    const [owner, reader] = await Promise.all(
      [1, 2].map(() => c.system.spawn(keeper, { hosting: "process", node: "n1" })),
    );
    const [read, unread] = [await owner!.put(8 * mib, 1), await owner!.put(8 * mib, 2)];
    assert.equal(await reader!.hold(read), 8 * mib);
    const pid = await owner!.pid();
    process.kill(pid, "SIGKILL");
    await until("the owner's end", () => hasEnded(pid));
    await assert.rejects(reader!.hold(unread), (error) => {
      assert.ok(isActorsError(error, "OBJECT_LOST"));
      assert.match(error.message, new RegExp(`object ${unread.id} is lost: its owner ${owner!.id} .*process ${pid}`));
      return true;
    });
    assert.equal(await reader!.heldSum(), 8 * mib);
    const holder = await reader!.pid();
    assert.equal(segmentsOf(holder) >= 1, true);
    process.kill(holder, "SIGKILL");
    await until("the reader's end", () => hasEnded(holder));
    assert.deepEqual(await held(), []);
    await Promise.all([c.system.stop(owner!), c.system.stop(reader!)]);
  });

  it("a reader that is killed leaves the owner's memory to be used again", async () => {
    const [owner, reader] = await Promise.all(
      [1, 2].map(() => c.system.spawn(keeper, { hosting: "process", node: "n1" })),
    );
    const ref = await owner!.put(8 * mib, 1);
    await reader!.hold(ref);
    await c.system.free(ref);
    const other = await owner!.put(8 * mib, 2);
    assert.notEqual(other.state.place!.descriptor, ref.state.place!.descriptor, "still read");
    const pid = await reader!.pid();
    process.kill(pid, "SIGKILL");
    await until("the reader's end", () => hasEnded(pid));
    await c.system.free(other);
    const two = [await owner!.put(8 * mib, 3), await owner!.put(8 * mib, 4)].map(
      (each) => each.state.place!.descriptor,
    );
    assert.ok(two.includes(ref.state.place!.descriptor));
    await Promise.all([c.system.stop(owner!), c.system.stop(reader!)]);
  });

  it("an agent that is killed takes its actors' objects along, and no other", async () => {
    const [here, there] = await Promise.all(
      ["n1", "n2"].map((node) => c.system.spawn(keeper, { hosting: "inline", node })),
    );
    const [lost, kept] = [await here!.put(mib, 1), await there!.put(mib, 2)];
    process.kill(c.node("n1").pid, "SIGKILL");
    await c.heard("node-up");
    await assert.rejects(c.system.get(lost), (error) => isActorsError(error, "OBJECT_LOST"));
    assert.equal((await c.system.get(kept))[0], 2);
    await Promise.all([c.system.stop(here!), c.system.stop(there!)]);
    assert.deepEqual(await held(), []);
  });

  it("objects lie in no folder", async () => {
    const k = await c.system.spawn(keeper, { hosting: "process" });
    const ref = await k.put(mib, 1);
    assert.deepEqual(
      (await held()).map(({ id, owner, bytes, where, use }) => [id, owner, bytes > mib, where, use]),
      [[ref.id, k.id, true, "memory", "put"]],
    );
    for (const dir of ["/dev/shm", tmpdir(), c.file.dir]) {
      assert.deepEqual(
        readdirSync(dir).filter((name) => name.includes("object-")),
        [],
      );
    }
    await c.system.stop(k);
    assert.deepEqual(await held(), [], "they end with the actor");
  });
});
