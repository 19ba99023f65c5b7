import assert from "node:assert/strict";
import { test } from "node:test";
import { type ActorsError, isActorsError } from "../core/errors.js";
import { hasEnded, TestCluster, until } from "./testing.js";
import { probe } from "./testing-actors.js";

const hasCode = (code: string) => (error: unknown) => isActorsError(error) && error.code === code;

test("a killed actor's process is replaced; idempotent calls are answered by the next one, others are told", async (t) => {
  const c = await TestCluster.start(t);
  const p = await c.system.spawn(probe, { hosting: "process" });
  const again = p.hold();
  await p.entered();
  const once = p.add(1); // queued behind the held call
  const { pid } = await c.actor(p.id);
  process.kill(pid, "SIGKILL");
  await assert.rejects(once, (error: ActorsError) => {
    assert.equal(error.code, "ACTOR_DIED");
    assert.deepEqual([error.details["signal"], error.details["exitCode"]], ["SIGKILL", null]);
    assert.match(error.hint!, /idempotent/);
    return true;
  });
  assert.equal(await again, 2);
  assert.equal(await p.add(1), 1, "the new incarnation starts from its constructor");
  assert.match((await c.heard("actor-died")).text, /test\.probe\(.+\) died on n\d .*ended on SIGKILL/);
  assert.match((await c.heard("actor-restarted")).text, /runs again on n\d as incarnation 2/);
  const { restarts, failure } = c.actor(p.id);
  assert.equal(restarts, 1);
  assert.match(failure, /SIGKILL/);
});

test("an actor that dies again and again fails for good when its restarts are used up", async (t) => {
  const c = await TestCluster.start(t, 1);
  const p = await c.system.spawn(probe, { hosting: "process", restart: { max: 1, backoffMs: 1 } });
  p.crash.tell();
  await c.heard("actor-restarted");
  p.crash.tell();
  assert.match((await c.heard("actor-failed")).text, /exit code 7.*no more restarts/);
  await assert.rejects(p.add(1), (error: ActorsError) => {
    assert.equal(error.code, "ACTOR_STOPPED");
    assert.match((error.cause as ActorsError).message, /exit code 7/);
    return true;
  });
});

test("a killed node's actors run elsewhere, and the node comes back in a new life", async (t) => {
  const c = await TestCluster.start(t);
  const [inline, own] = await Promise.all([
    c.system.spawn(probe, { node: "n2", hosting: "inline" }),
    c.system.spawn(probe, { hosting: "process" }),
  ]);
  const pinned = c.actor(inline.id);
  const held = inline.hold();
  await inline.entered();
  const worker = c.system.ps().actors.find((a) => a.id === own.id)!;
  process.kill(c.node("n2").pid, "SIGKILL");
  assert.equal(await held, 2, "a wish for n2 waits for n2's next life");
  assert.equal((await inline.where()).node, "n2-1");
  assert.notEqual((await inline.where()).pid, pinned.pid);
  assert.equal(await own.add(1), 1);
  if (worker.node === "n2") await until("the worker ended with its agent", () => hasEnded(worker.pid));
  assert.match((await c.heard("node-dead")).text, /node n2 is gone \(its agent ended on SIGKILL\); restarting .+/);
  assert.match((await c.heard("node-up")).text, /started again as n2-1/);
  await until("the dead node leaves the directory", () => !c.system.ps().nodes.some((n) => n.id === "n2"));
});

test("a killed nats-server comes back with everything, and calls in flight complete", async (t) => {
  const c = await TestCluster.start(t);
  const [p, q] = await Promise.all([
    c.system.spawn(probe, { hosting: "process" }),
    c.system.spawn(probe, { hosting: "thread" }),
  ]);
  const held = [p.hold(), q.holdOnce()];
  await Promise.all([p.entered(), q.entered()]);
  process.kill(c.file.natsPid, "SIGKILL");
  await Promise.all([p.open(), q.open()]); // sent while there is no server
  assert.deepEqual(await Promise.all(held), [1, 1]);
  const calls = Array.from({ length: 100 }, () => p.add(1));
  assert.deepEqual(
    await Promise.all(calls),
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  assert.match((await c.heard("nats-restarted")).text, /ended on SIGKILL; started again on the same port/);
  const fresh = await c.system.spawn(probe, { hosting: "process" });
  assert.equal(await fresh.add(3), 3);
  assert.deepEqual(
    c.events.filter((e) => e.kind === "actor-died" || e.kind === "node-dead"),
    [],
    "an outage of the server is nobody's death",
  );
});

test("calls sent in a stream of server deaths run once each, in order", async (t) => {
  const c = await TestCluster.start(t, 1);
  const p = await c.system.spawn(probe, { hosting: "process" });
  const sums: number[] = [];
  const traffic = (async () => {
    while (sums.length < 3000) sums.push(...(await Promise.all(Array.from({ length: 20 }, () => p.add(1)))));
  })();
  for (let kills = 1; kills <= 2; kills++) {
    await until("some calls went through", () => sums.length >= kills * 500);
    process.kill(c.file.natsPid, "SIGKILL");
    await until("the server is back", () => c.events.filter((e) => e.kind === "nats-restarted").length === kills);
  }
  await traffic;
  assert.deepEqual(
    sums,
    Array.from({ length: sums.length }, (_, i) => i + 1),
  );
});

test("a frozen node is declared dead, its actors move, and its old copies never answer again", async (t) => {
  const c = await TestCluster.start(t);
  const p = await c.system.spawn(probe, { node: "n1", hosting: "process" });
  const roaming = await c.system.spawn(probe, { hosting: "inline" });
  const victim = c.actor(roaming.id).node;
  const frozen = c.node(victim).pid;
  assert.equal(await roaming.add(41), 41);
  process.kill(frozen, "SIGSTOP");
  const unanswered = roaming.add(1);
  await assert.rejects(unanswered, hasCode("ACTOR_DIED"));
  assert.match((await c.heard("node-dead")).text, /no heartbeat for 3000 ms/);
  assert.equal(await roaming.add(1), 1, "a new copy, elsewhere");
  const { node, epoch } = await roaming.where();
  assert.notEqual(node, victim);
  assert.equal(epoch, 2);
  process.kill(frozen, "SIGCONT");
  // It finds the old call in its inbox, and the word that it is dead: nothing it says is heard, and it ends itself.
  assert.equal(await roaming.add(1), 2);
  await until("the old agent ended", () => hasEnded(frozen));
  await c.heard("node-up", new RegExp(`started again as ${victim}-1`));
  assert.equal(await roaming.add(1), 3);
  assert.equal((await p.where()).node, victim === "n1" ? "n1-1" : "n1");
});

test("an actor's process outlives the freezing of its agent only until the agent is declared dead and wakes", async (t) => {
  const c = await TestCluster.start(t);
  const p = await c.system.spawn(probe, { hosting: "process" });
  const old = c.actor(p.id);
  const agent = c.node(old.node).pid;
  process.kill(agent, "SIGSTOP");
  await c.heard("actor-restarted");
  assert.equal((await p.where()).epoch, 2);
  assert.ok(!hasEnded(old.pid), "nobody could end it yet");
  process.kill(agent, "SIGCONT");
  await until("the old copy ended", () => hasEnded(old.pid));
  assert.equal((await p.where()).epoch, 2);
});

test("the coordinator's node is killed while actors are being spawned: none is lost or doubled", async (t) => {
  const c = await TestCluster.start(t, 3);
  const spawning = Array.from({ length: 6 }, (_, i) =>
    c.system.spawn(probe, { name: `a${i}`, hosting: i % 2 ? "process" : "inline" }),
  );
  const first = await spawning[0]!;
  await first.add(1);
  for (const node of ["n1", "n2"]) {
    process.kill(c.node(node).pid, "SIGKILL");
    await c.heard("node-up", new RegExp(`as ${node}-1`));
  }
  const all = await Promise.all(spawning);
  const places = await Promise.all(all.map((p) => p.where()));
  assert.equal(places.length, 6);
  const live = c.system.ps().actors.filter((a) => a.state === "RUNNING");
  assert.equal(live.length, 6);
});
