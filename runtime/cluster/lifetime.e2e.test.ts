import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ActorsError, isActorsError } from "../core/errors.js";
import { join as joinCluster } from "../join.js";
import type { LifecycleEvent } from "../watch.js";
import { localSystem } from "./local.js";
import { hasEnded, TestCluster, until } from "./testing.js";
import { parent, probe } from "./testing-actors.js";

interface Got {
  shared: string[];
  own: string;
}

/** A program that joins, waits for the word, asks for one name many times at once, and stays. */
async function client(t: TestContext, c: TestCluster): Promise<ChildProcess> {
  const dir = mkdtempSync(join(tmpdir(), "client-test-"));
  const program = join(dir, "client.mjs");
  const here = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  writeFileSync(
    program,
    `import { join } from ${here("../index.js")};
     import { probe } from ${here("./testing-actors.js")};
     const system = await join({ cluster: ${JSON.stringify(c.cluster.file)} });
     process.once("message", async () => {
       const ask = () => system.getOrSpawn(probe, { name: "shared", detached: true, hosting: "process" });
       const [own, ...shared] = await Promise.all([system.spawn(probe), ...Array.from({ length: 5 }, ask)]);
       process.send({ shared: shared.map((p) => p.id), own: own.id });
     });
     process.send("ready");`,
  );
  const child = fork(program);
  t.after(() => {
    child.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  });
  await once(child, "message");
  return child;
}

test("clients that ask at once get one actor; detached, it outlives them when they are killed", async (t) => {
  const c = await TestCluster.start(t);
  const clients = await Promise.all([client(t, c), client(t, c), client(t, c)]);
  const answers = clients.map((child) => once(child, "message") as Promise<[Got]>);
  for (const child of clients) child.send("go");
  const got = (await Promise.all(answers)).map(([answer]) => answer);
  const ids = new Set(got.flatMap(({ shared }) => shared));
  assert.equal(ids.size, 1);
  await until("the name is known", () =>
    c.system.ps().actors.some((a) => a.name === "shared" && a.state === "RUNNING"),
  );
  const shared = c.system.lookup(probe, "shared");
  assert.deepEqual([...ids], [shared.id]);
  assert.equal(c.system.ps().actors.filter((a) => a.name === "shared").length, 1, "and none failed or was stopped");
  assert.equal(await shared.add(5), 5);
  for (const child of clients) child.kill("SIGKILL");
  await Promise.all(
    got.map(({ own }) => c.heard("actor-stopped", new RegExp(`${own}.*the client that spawned it is gone`))),
  );
  assert.equal(await shared.add(1), 6);
  const { pid } = c.actor(shared.id);
  await c.system.stop(shared);
  await until("its process ended", () => hasEnded(pid));
});

test("a detached actor stays when its client leaves and when the actor that spawned it is killed", async (t) => {
  const c = await TestCluster.start(t, 1);
  const guest = await joinCluster({ cluster: c.cluster.file });
  const [kept, lost] = [await guest.spawn(probe, { name: "kept", detached: true }), await guest.spawn(probe)];
  await guest.close();
  await until("what the client owned ended", () => c.actor(lost.id).state === "STOPPED");
  assert.equal(await c.system.lookup(probe, "kept").add(1), 1);
  assert.equal(c.actor(kept.id).owner, "");

  const creator = await c.system.spawn(parent, { hosting: "process", restart: { policy: "never" } });
  const [orphan, child] = [await creator.bear({ detached: true }), await creator.bear({})];
  process.kill(c.actor(creator.id).pid, "SIGKILL");
  await c.heard("actor-failed", new RegExp(creator.id));
  await until("its child ended", () => c.actor(child.id).state === "STOPPED");
  assert.equal(await orphan.add(1), 1);
});

test("one actor comes of many asks even when the coordinator's node is killed meanwhile", async (t) => {
  const c = await TestCluster.start(t, 3);
  const asks = Array.from({ length: 20 }, () => c.system.getOrSpawn(probe, { name: "one", hosting: "process" }));
  await Promise.race(asks);
  const more = Array.from({ length: 20 }, () => c.system.getOrSpawn(probe, { name: "two", hosting: "process" }));
  process.kill(c.node("n1").pid, "SIGKILL");
  for (const same of [asks, more]) assert.equal(new Set((await Promise.all(same)).map((p) => p.id)).size, 1);
  const made = c.system.ps().actors.filter((a) => a.name !== "");
  assert.deepEqual(made.map((a) => a.name).sort(), ["one", "two"], "and none beside them ever was");
});

test("a watch tells a kill -9, and misses no end while nats-server is killed", async (t) => {
  const c = await TestCluster.start(t);
  const p = await c.system.spawn(probe, { hosting: "process" });
  const q = await c.system.spawn(probe, { hosting: "process", restart: { policy: "never" } });
  const [lives, ends] = [c.system.watch(p), c.system.watch(q)];
  const next = async (watch: typeof lives) => (await watch.next()).value as LifecycleEvent;
  assert.deepEqual([(await next(lives)).kind, (await next(ends)).kind], ["started", "started"]);
  process.kill(c.actor(p.id).pid, "SIGKILL");
  const restarted = await next(lives);
  assert.deepEqual([restarted.kind, restarted.epoch], ["restarted", 2]);
  assert.equal(restarted.error?.details["signal"], "SIGKILL");

  process.kill(c.file.natsPids[0]!, "SIGKILL");
  process.kill(c.actor(q.id).pid, "SIGKILL");
  const failed = await next(ends);
  assert.equal(failed.kind, "failed");
  assert.match((failed.error!.cause as ActorsError).message, /ended on SIGKILL/);
  assert.equal((await ends.next()).done, true);

  const stopped = next(lives);
  await c.system.stop(p);
  assert.deepEqual([(await stopped).kind, (await stopped).epoch], ["stopped", 2]);

  await using late = await joinCluster({ cluster: c.cluster.file });
  assert.deepEqual((await next(late.watch(q))).error?.details["crashes"], failed.error?.details["crashes"]);
  assert.equal((await next(late.watch(p))).kind, "stopped");
  const foreign = await localSystem();
  t.after(() => foreign.close());
  const stranger = await foreign.spawn(probe);
  await assert.rejects(late.watch(stranger).next(), (error) => isActorsError(error, "NOT_FOUND"));
});
