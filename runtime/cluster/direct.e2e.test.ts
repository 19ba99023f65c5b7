import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type ActorsError, isActorsError } from "../core/errors.js";
import type { Handle } from "../core/handle.js";
import { hasEnded, TestCluster, until } from "./testing.js";
import { messenger, probe } from "./testing-actors.js";

/** Two actors in processes of their own, which reach each other past nats-server. */
async function direct(c: TestCluster) {
  const to = await c.system.spawn(probe, { hosting: "process" });
  const from = await c.system.spawn(messenger, { hosting: "process", args: [to] });
  await until("the links are open", async () => {
    await from.send(10);
    return withoutNats(c, () => answers(from));
  });
  return { from, to };
}

async function answers(from: Handle<{ send(count: number): Promise<number[]> }>): Promise<boolean> {
  try {
    await from.send.with({ timeoutMs: 500 })(1);
    return true;
  } catch (error) {
    assert.ok(isActorsError(error, "DEADLINE_EXCEEDED"));
    return false;
  }
}

/** With nats-server stopped: it keeps its connections, and passes nothing on. */
async function withoutNats<R>(c: TestCluster, work: () => Promise<R>): Promise<R> {
  const natsPid = c.file.natsPids[0]!;
  process.kill(natsPid, "SIGSTOP");
  try {
    await until("nats-server stands still", () => allStopped(natsPid));
    return await work();
  } finally {
    if (!hasEnded(natsPid)) process.kill(natsPid, "SIGCONT");
  }
}

/** A signal takes its time to reach each thread: until then it may pass on a call. */
const allStopped = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")),
  );

test("calls between processes go on while nats-server is frozen, and while it is dead", async (t) => {
  const c = await TestCluster.start(t, 1);
  const { from } = await direct(c);
  const [before] = await from.send(1);
  await withoutNats(c, async () => {
    const sums = await from.send.with({ timeoutMs: 2_000 })(100); // done before the nodes count as cut off
    assert.deepEqual(
      sums,
      Array.from({ length: 100 }, (_, i) => before! + i + 1),
    );
    process.kill(c.file.natsPids[0]!, "SIGKILL");
    assert.equal((await from.send.with({ timeoutMs: 2_000 })(500)).at(-1), before! + 600);
  });
  await c.heard("nats-restarted");
  assert.equal((await from.send(500)).at(-1), before! + 1_100, "and none ran twice");
});

test("the end of a peer by kill -9 is the same typed error, and the next incarnation is reached", async (t) => {
  const c = await TestCluster.start(t, 1);
  const { from, to } = await direct(c);
  const { pid } = c.actor(to.id);
  const held = from.hold();
  await to.entered();
  process.kill(pid, "SIGKILL");
  await assert.rejects(held, (error: ActorsError) => {
    assert.equal(error.code, "ACTOR_DIED");
    assert.equal(error.details["signal"], "SIGKILL");
    return true;
  });
  assert.deepEqual(await from.send(3), [1, 2, 3]);
  await direct(c); // and a new peer is linked beside the dead one's socket file
});

test("sockets are gone with their process, and all of them with the cluster", async (t) => {
  const c = await TestCluster.start(t, 1, {}, { spares: 0 }); // a spare has one too
  const { dir } = c.file;
  const sockets = () => readdirSync(dir).filter((name) => name.endsWith(".sock")).length;
  const idle = sockets();
  const { from, to } = await direct(c);
  assert.equal(sockets(), idle + 2);
  await c.system.stop(to);
  await c.system.stop(from);
  await until("their sockets are gone", () => sockets() === idle);
  await c.cluster.stop("the test looks at what is left");
  assert.throws(() => readdirSync(dir), { code: "ENOENT" });
});

test("with ACTORS_DIRECT=0 every call needs nats-server", async (t) => {
  process.env["ACTORS_DIRECT"] = "0";
  t.after(() => delete process.env["ACTORS_DIRECT"]);
  const c = await TestCluster.start(t, 1);
  const to = await c.system.spawn(probe, { hosting: "process" });
  const from = await c.system.spawn(messenger, { hosting: "process", args: [to] });
  for (let i = 0; i < 20; i++) await from.send(1);
  assert.equal(await withoutNats(c, () => answers(from)), false);
  assert.deepEqual(
    readdirSync(c.file.dir).filter((name) => name.endsWith(".sock")),
    [],
  );
});
