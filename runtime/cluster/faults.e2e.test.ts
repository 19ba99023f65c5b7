import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActorsError } from "../core/errors.js";
import { fencedExit } from "./agent-process.js";
import { heldMs, leaseMs } from "./protocol.js";
import { hasEnded, TestCluster, until } from "./testing.js";
import { probe } from "./testing-actors.js";
import { assertOneAtATime, LossyLink, lifeFile, loneNode, witness } from "./testing-fence.js";

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
  process.kill(c.file.natsPids[0]!, "SIGKILL");
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
    process.kill(c.file.natsPids[0]!, "SIGKILL");
    await until("the server is back", () => c.events.filter((e) => e.kind === "nats-restarted").length === kills);
  }
  await traffic;
  assert.deepEqual(
    sums,
    Array.from({ length: sums.length }, (_, i) => i + 1),
  );
});

test("a frozen agent is ended by the kernel, with its worker processes, before its actors run elsewhere", async (t) => {
  const c = await TestCluster.start(t);
  const life = lifeFile(t);
  const hostings = ["inline", "thread", "process"] as const;
  const actors = await Promise.all(
    hostings.map((hosting, i) => c.system.spawn(witness, { node: "n2", hosting, args: [`${life}-${i}`] })),
  );
  const roaming = await c.system.spawn(probe, { hosting: "process" });
  const old = c.actor(actors[2]!.id);
  const agent = c.node("n2").pid;
  process.kill(agent, "SIGSTOP");
  const unanswered = roaming.add(1);
  const { text } = await c.heard("node-dead");
  const answers = await Promise.all(actors.map((actor) => actor.epoch()));
  assert.deepEqual(answers, [2, 2, 2]);
  assert.ok(hasEnded(agent) && hasEnded(old.pid), "they ended though nobody let them go on");
  assert.match(
    text,
    /node n2 is gone \((none of its heartbeats had come back for 1400 ms, so it was ended|no heartbeat for 1600 ms)\)/,
  );
  await c.heard("node-up", /started again as n2-1/);
  await Promise.allSettled([unanswered]); // where it was placed decides
  for (const i of hostings.keys()) assertOneAtATime(`${life}-${i}`, 2);
});

test("a frozen agent with frozen workers is over when they are let go on", async (t) => {
  const c = await TestCluster.start(t);
  const life = lifeFile(t);
  const p = await c.system.spawn(witness, { node: "n2", hosting: "process", args: [life] });
  const frozen = [c.node("n2").pid, c.actor(p.id).pid];
  for (const pid of frozen) process.kill(pid, "SIGSTOP");
  const late = p.epoch();
  await c.heard("node-dead");
  await c.heard("actor-restarted");
  for (const pid of frozen) assert.ok(hasEnded(pid));
  assert.equal(await late, 2);
  assertOneAtATime(life, 2);
});

test("a node that is cut off ends its actors before another runs them", async (t) => {
  for (const way of ["both", "answers", "requests"] as const) {
    await t.test(`when ${way === "both" ? "nothing passes" : `no ${way} pass`}`, async (t) => {
      const c = await TestCluster.start(t, 1);
      const link = await LossyLink.open(t, Number(new URL(c.file.url).port));
      const node = await loneNode(t, c, { address: () => link });
      const life = lifeFile(t);
      const hostings = ["inline", "process"] as const;
      const actors = await Promise.all(
        hostings.map((hosting, i) => c.system.spawn(witness, { hosting, args: [`${life}-${i}`] })),
      );
      const there = actors.filter((actor) => c.actor(actor.id).node === node.id);
      assert.ok(there.length > 0, "some run on the node that will be cut off");
      const own = there.map((actor) => c.actor(actor.id).pid);
      const since = performance.now();
      link.stall(way);
      const [code, signal] = await node.exited;
      const ended = performance.now() - since;
      for (const actor of there) assert.equal(await actor.epoch(), 2);
      t.diagnostic(
        `ended itself after ${ended.toFixed(0)} ms, its actors answer after ${(performance.now() - since).toFixed(0)} ms`,
      );
      assert.ok(code === fencedExit || signal === "SIGKILL", `it ended with ${code ?? signal}`);
      assert.ok(own.every(hasEnded));
      assert.match((await c.heard("node-dead", new RegExp(node.id))).text, /no heartbeat for 1600 ms/);
      for (const i of hostings.keys()) assertOneAtATime(`${life}-${i}`, there.includes(actors[i]!) ? 2 : 1);
    });
  }
});

test("a worker that holds its thread for longer than the lease lives on; a frozen one is replaced", async (t) => {
  const c = await TestCluster.start(t, 1);
  const life = lifeFile(t);
  const p = await c.system.spawn(witness, { hosting: "process", args: [life] });
  await p.block(leaseMs * 1.5);
  assert.equal(await p.epoch(), 1);
  process.kill(c.actor(p.id).pid, "SIGSTOP");
  assert.equal(await p.epoch(), 2);
  assertOneAtATime(life, 2);
});

test("an inline actor that holds its node's event loop for longer than the lease is told of, and no more", async (t) => {
  const c = await TestCluster.start(t, 1);
  const life = lifeFile(t);
  const p = await c.system.spawn(witness, { hosting: "inline", args: [life] });
  const { pid } = c.node("n1");
  await p.block(leaseMs * 2);
  assert.match((await c.heard("node-held")).text, /node n1 answers nobody: .*inline actor .*hosting: "thread"/);
  assert.equal(await p.epoch(), 1);
  assert.equal(c.node("n1").pid, pid);
  assertOneAtATime(life, 1);
});

test("a node whose event loop is held for good is ended, and its actors run elsewhere", async (t) => {
  const c = await TestCluster.start(t);
  const life = lifeFile(t);
  const p = await c.system.spawn(witness, { node: "n2", hosting: "inline", args: [life] });
  const { pid } = c.node("n2");
  p.block.tell(heldMs * 3);
  const { text } = await c.heard("node-dead");
  assert.match(text, /node n2 is gone \(its event loop was held for 10\d{3} ms by an inline actor/);
  assert.equal(await p.epoch(), 2);
  assert.ok(hasEnded(pid));
  assertOneAtATime(life, 2);
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
