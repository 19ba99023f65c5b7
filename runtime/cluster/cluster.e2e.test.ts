import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, test } from "node:test";
import { defineActor } from "../core/definition.js";
import { isActorsError } from "../core/errors.js";
import { join as joinCluster } from "../join.js";
import { startCluster } from "./start.js";
import { hasEnded, isListening, remains, TestCluster, until } from "./testing.js";
import { parent, probe, stillborn } from "./testing-actors.js";

const hasCode = (code: string) => (error: unknown) => isActorsError(error) && error.code === code;

describe("a cluster of two nodes", () => {
  let c: TestCluster;
  const undo: (() => unknown)[] = [];
  before(async () => {
    c = await TestCluster.start({ after: (fn) => void undo.push(fn as () => unknown) });
  });
  after(async () => {
    for (const step of undo) await step();
  });

  it("hosts an actor inline in the agent, in a thread of it, or in a process of its own", async () => {
    const agents = c.system.ps().nodes.map((n) => n.pid);
    const at = async (hosting: "inline" | "thread" | "process") => {
      const handle = await c.system.spawn(probe, { hosting });
      return handle.where();
    };
    const [inline, thread, process_] = await Promise.all([at("inline"), at("thread"), at("process")]);
    assert.ok(agents.includes(inline.pid) && inline.threadId === 0);
    assert.ok(agents.includes(thread.pid) && thread.threadId > 0);
    assert.ok(!agents.includes(process_.pid) && process_.pid !== process.pid);
  });

  it("spreads a group over its nodes, and calls all of it at once", async () => {
    const group = await c.system.spawnGroup(probe, 4);
    const places = await group.where.all();
    assert.deepEqual(places.map((p) => p.node).sort(), ["n1", "n1", "n2", "n2"]);
  });

  it("places an actor on the node that is asked for, and says why it cannot", async () => {
    const there = await c.system.spawn(probe, { node: "n2" });
    assert.equal((await there.where()).node, "n2");
    await assert.rejects(c.system.spawn(probe, { node: "n9" }), hasCode("INFEASIBLE"));
    await assert.rejects(c.system.spawn(probe, { gpus: 1 }), (error) => {
      assert.ok(isActorsError(error, "INFEASIBLE"));
      assert.match(error.rawMessage, /n1 lacks gpus 1 \(0 free\)/);
      return true;
    });
  });

  it("streams over NATS in order, further than the credit, and stops a producer that is left", async () => {
    const p = await c.system.spawn(probe, { hosting: "process" });
    let next = 0;
    for await (const i of p.upTo(5000)) assert.equal(i, next++);
    assert.equal(next, 5000);
    for await (const i of p.upTo(Number.MAX_SAFE_INTEGER)) if (i === 600) break;
    assert.equal(await p.add(1), 1); // not starved by a producer that goes on
  });

  it("streams both ways at once, and ends what it was given when the actor's process dies", async () => {
    const p = await c.system.spawn(probe, { hosting: "process" });
    let made = 0;
    let ended = false;
    async function* ones(bound: number) {
      try {
        for (; made < bound; made++) yield 1;
      } finally {
        ended = true;
      }
    }
    let sum = 0;
    for await (const each of p.sums(ones(2000))) assert.equal(each, ++sum);
    assert.deepEqual([sum, made, ended], [2000, 2000, true]);
    ended = false;
    await assert.rejects(async () => {
      for await (const each of p.sums(ones(Number.POSITIVE_INFINITY))) if (each === 3000) p.crash.tell();
    }, hasCode("ACTOR_DIED"));
    await until("the end of what was given", () => ended);
  });

  it("ends a stream whose reader's process died, and the reader's call with it", async () => {
    const [from, to] = await c.system.spawnGroup(probe, 2, { hosting: "process" });
    const { pid } = await to!.where();
    const reading = assert.rejects(to!.sumOf(from!, Number.MAX_SAFE_INTEGER), hasCode("ACTOR_DIED"));
    await until("the stream", async () => (await c.system.introspection().actor(from!.id)).live!.inFlight === 1);
    process.kill(pid, "SIGKILL");
    await reading;
    assert.equal(await from!.add(1), 1);
  });

  it("holds callers back while a mailbox is full, and lets shared calls through to it", async () => {
    const p = await c.system.spawn(probe, { hosting: "process", mailbox: 2 });
    const held = p.hold();
    await p.entered();
    const queued = Array.from({ length: 50 }, () => p.add(1));
    await assert.rejects(p.add.with({ timeoutMs: 100 })(1), /add on \w+: its mailbox had no room within 100 ms/);
    await p.open();
    assert.deepEqual(await Promise.all([held, ...queued]), [1, ...queued.map((_, i) => i + 1)]);
  });

  it("ends a call at its deadline and tells the callee", async () => {
    const p = await c.system.spawn(probe, { hosting: "process" });
    await assert.rejects(p.hold.with({ timeoutMs: 100 })(), hasCode("DEADLINE_EXCEEDED"));
    const leave = new AbortController();
    const held = p.hold.with({ signal: leave.signal })();
    leave.abort();
    await assert.rejects(held, hasCode("CANCELLED"));
  });

  it("says which module is missing when a node cannot load an actor", async () => {
    const lost = defineActor({ name: "test.lost", module: "file:///nowhere/lost.js", class: class Lost {} });
    for (const hosting of ["inline", "process"] as const) {
      await assert.rejects(c.system.spawn(lost, { hosting }), (error) => {
        assert.ok(isActorsError(error, "START_FAILED"));
        assert.match(error.rawMessage, /cannot load file:\/\/\/nowhere\/lost\.js for actor test\.lost/);
        assert.match(error.hint!, /must exist on every node/);
        return true;
      });
    }
  });

  it("says how a process or thread ended that ends while its actor starts", async () => {
    const spawn = (hosting: "process" | "thread", how: number | "SIGKILL") =>
      c.system.spawn(stillborn, { hosting, args: [how], restart: { max: 1 } });
    await assert.rejects(spawn("process", 3), (error) => {
      assert.ok(isActorsError(error, "START_FAILED"));
      assert.match(error.rawMessage, /did not start: the process of .+ ended with exit code 3/);
      assert.equal(error.details["exitCode"], 3);
      return true;
    });
    await assert.rejects(spawn("thread", 3), hasCode("START_FAILED"));
    await assert.rejects(spawn("process", "SIGKILL"), (error) => {
      assert.ok(isActorsError(error, "ACTOR_DIED"), "tried again, but not for ever");
      assert.equal(error.details["signal"], "SIGKILL");
      return true;
    });
  });

  it("stops the children of an actor with it", async () => {
    const p = await c.system.spawn(parent);
    const { id: child } = await p.bear();
    await until("the child is known", () => c.system.ps().actors.some((a) => a.id === child && a.state === "RUNNING"));
    const { pid } = c.actor(child);
    await c.system.stop(p);
    await until("the child ended", () => c.actor(child).state === "STOPPED" && hasEnded(pid));
  });

  it("takes what a client spawned with it when the client leaves", async () => {
    const client = await joinCluster({ cluster: c.cluster.file });
    const mine = await client.spawn(probe, { name: "guest", hosting: "process" });
    assert.equal(await c.system.lookup(probe, "guest").add(2), 2);
    const { pid } = await mine.where();
    await client.close();
    await until("the guest's actor ended", () => hasEnded(pid) && c.actor(mine.id).state === "STOPPED");
  });
});

test("two clusters do not share a folder, and bad input is refused before anything starts", async (t) => {
  const c = await TestCluster.start(t, 1);
  await assert.rejects(startCluster({ nodes: 1, stateDir: c.dir }), (error) => {
    assert.ok(isActorsError(error, "UNAVAILABLE"));
    assert.match(error.rawMessage, /already runs in this folder/);
    return true;
  });
  await assert.rejects(startCluster({ nodes: 0, stateDir: join(c.dir, "none") }), hasCode("INVALID_ARGUMENT"));
});

test("of two clusters started at once in a folder one comes up, and the other leaves it alone", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "cluster-test-"));
  const starts = [1, 2].map(() => startCluster({ nodes: 1, stateDir: dir }));
  const settled = await Promise.allSettled(starts);
  const [up, ...others] = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  t.after(async () => {
    await Promise.all([up, ...others].map((cluster) => cluster?.stop("the test ended")));
    rmSync(dir, { recursive: true, force: true });
  });
  assert.equal(others.length, 0);
  const refused = settled.find((each) => each.status === "rejected");
  assert.ok(isActorsError(refused?.reason, "UNAVAILABLE"));
  assert.match(refused.reason.rawMessage, /a cluster starts in this folder \(process \d+\)/);
  assert.equal(await (await up!.system.spawn(probe)).add(3), 3);
  assert.ok(!readdirSync(dir).includes("starting.pid"));
});

test("after a stop no process, port, shared memory or scratch folder is left", async (t) => {
  const before = remains();
  const c = await TestCluster.start(t);
  await c.system.spawnGroup(probe, 2, { hosting: "process" });
  await c.system.spawn(probe, { hosting: "thread" });
  const held = (await c.system.spawn(probe, { hosting: "process" })).hold();
  held.catch(() => {});
  writeFileSync(`${c.system.cluster.shmPrefix}left`, "x");
  writeFileSync(join(c.system.cluster.dir, "left"), "x");
  const pids = c.pids();
  assert.equal(pids.length, 6); // nats-server, two agents, three processes
  const port = Number(new URL(c.file.url).port);
  await c.cluster.stop("the test asks for it");
  await assert.rejects(held);
  assert.deepEqual(
    pids.filter((pid) => !hasEnded(pid)),
    [],
  );
  assert.equal(await isListening(port), false);
  assert.deepEqual(remains(), before);
  assert.deepEqual(readdirSync(c.dir), ["logs"]);
});
