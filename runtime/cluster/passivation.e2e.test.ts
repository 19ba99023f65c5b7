import assert from "node:assert/strict";
import { test } from "node:test";
import { join as joinCluster } from "../join.js";
import { hasEnded, TestCluster, until } from "./testing.js";
import { journal, scribe } from "./testing-actors.js";

const passive = (c: TestCluster, { id }: { id: string }) =>
  until(`${id} is passive and ended`, () => c.actor(id).state === "PASSIVE" && c.actor(id).node === "");

test("a passive actor's process has ended; the next call resumes it, also when the node it was on has died", async (t) => {
  const c = await TestCluster.start(t, 2);
  const j = await c.system.spawn(journal, { hosting: "process", node: "n2", passivateAfterMs: 100 });
  const first = await j.where();
  await j.write("a", 1);
  await passive(c, j);
  await until("its process ended", () => hasEnded(first.pid));
  assert.deepEqual(await j.read(), [["a", 1]]);
  assert.ok((await j.where()).epoch > 1); // on a slow machine it may rest between the two calls
  await c.system.stop(j);

  const free = await c.system.spawn(journal, { hosting: "process", passivateAfterMs: 100 });
  const { node } = await free.where();
  await free.write("a", 7);
  await passive(c, free);
  process.kill(c.node(node).pid, "SIGKILL");
  await c.heard("node-dead", new RegExp(node));
  assert.deepEqual(await free.read(), [["a", 7]]);
  assert.equal(c.actor(free.id).restarts, 0);
});

test("a passive actor ends with the client that owns it; a detached one is woken by others", async (t) => {
  const c = await TestCluster.start(t, 1);
  const guest = await joinCluster({ cluster: c.cluster.file });
  const own = await guest.spawn(journal, { passivateAfterMs: 50 });
  const shared = await guest.spawn(journal, { name: "shared", detached: true, passivateAfterMs: 50 });
  await shared.write("a", 1);
  await passive(c, own);
  await passive(c, shared);
  await guest.close();
  await until("what the client owned ended", () => c.actor(own.id).state === "STOPPED");
  assert.deepEqual(await c.system.lookup(journal, "shared").read(), [["a", 1]]);
});

test("callers of several processes lose no call and double nothing while it becomes passive again and again", async (t) => {
  const c = await TestCluster.start(t, 2);
  const j = await c.system.spawn(journal, { name: "j", hosting: "process", passivateAfterMs: 1 });
  const guest = await joinCluster({ cluster: c.cluster.file });
  t.after(() => guest.close());
  const scribes = await Promise.all([
    c.system.spawn(scribe, { hosting: "process" }),
    c.system.spawn(scribe, { hosting: "thread" }),
    c.system.spawn(scribe, { hosting: "inline", node: "n2" }),
    guest.spawn(scribe, { hosting: "inline", node: "n1" }),
  ]);
  const rounds = 6;
  const long = { timeoutMs: 120_000 };
  await Promise.all(scribes.map((each, i) => each.write.with(long)(j, `s${i}`, rounds)));
  const written = await guest.lookup(journal, "j").read();
  for (const i of scribes.keys()) {
    const own = written.filter(([by]) => by === `s${i}`).map(([, n]) => n);
    const all = Array.from({ length: rounds * 3 }, (_, n) => n);
    // Every third is a tell: it is lost where its sender hears of the rest later than the place it left gives things back.
    const come = all.filter((n) => n % 3 > 0 || own.includes(n));
    assert.deepEqual(own, come, `s${i}`);
  }
  assert.ok((await j.where()).epoch > 2);
});

test("a coordinator that is killed in either transition leaves one that finishes it", async (t) => {
  const c = await TestCluster.start(t, 3);
  const leader = await c.coordinator();
  const host = ["n1", "n2", "n3"].find((node) => node !== leader)!;
  const j = await c.system.spawn(journal, { hosting: "process", node: host, passivateAfterMs: 100 });
  const first = await j.where();
  await j.write("a", 1);
  await until("it is being ended", () => c.actor(j.id).state === "PASSIVE");
  process.kill(c.node(leader).pid, "SIGKILL");
  await c.heard("coordinator");
  assert.equal(await j.write("a", 2), 2);
  assert.ok(hasEnded(first.pid), "two were never live");

  await passive(c, j);
  const next = await c.coordinator();
  const woken = j.write("a", 3);
  await until("it is being started", () => c.actor(j.id).state === "STARTING");
  process.kill(c.node(next).pid, "SIGKILL");
  await woken;
  const written = await j.read();
  assert.deepEqual(written, [
    ["a", 1],
    ["a", 2],
    ["a", 3],
  ]);
  assert.equal(c.actor(j.id).restarts, 0);
});
