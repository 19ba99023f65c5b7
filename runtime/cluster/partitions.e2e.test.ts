import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { hasEnded, TestCluster } from "./testing.js";
import { probe } from "./testing-actors.js";
import { apart, Cable, whyNoCables } from "./testing-cable.js";
import { assertOneAtATime, LossyLink, lifeFile, loneNode, witness } from "./testing-fence.js";

const skip = whyNoCables();
const hostings = ["inline", "thread", "process"] as const;
const seats = { seat: hostings.length };

/** A node on the other end of a cable, with a way through it to nats-server. */
async function farNode(t: TestContext, c: TestCluster, id = "n9") {
  let cable: Cable | undefined;
  const node = await loneNode(t, c, {
    id,
    within: apart,
    async address(pid) {
      cable = await Cable.to(t, pid);
      const { port } = await LossyLink.open(t, Number(new URL(c.file.url).port), cable.host);
      return { port, host: cable.host };
    },
  });
  return { ...node, cable: cable! };
}

/** Witnesses that are on that node first, and may be restarted anywhere. */
async function witnessesOn(t: TestContext, c: TestCluster, node: string) {
  const life = lifeFile(t);
  const others = c.system.ps().nodes.filter((n) => n.state === "up" && n.id !== node);
  const inTheWay = await Promise.all(others.map(({ id }) => c.system.spawn(probe, { node: id, resources: seats })));
  const actors = await Promise.all(
    hostings.map((hosting, i) =>
      c.system.spawn(witness, { name: hosting, hosting, resources: { seat: 1 }, args: [`${life}-${i}`] }),
    ),
  );
  await Promise.all(inTheWay.map((each) => c.system.stop(each)));
  assert.ok(actors.every(({ id }) => c.actor(id).node === node));
  return {
    actors,
    pids: actors.map((actor) => c.actor(actor.id).pid),
    /** That all of them had so many lives, one after the other. */
    async assertLives(count: number) {
      assert.deepEqual(
        await Promise.all(actors.map((actor) => actor.epoch())),
        hostings.map(() => count),
      );
      for (const i of hostings.keys()) assertOneAtATime(`${life}-${i}`, count);
    },
  };
}

describe("a node on a cable of its own", { skip }, () => {
  for (const way of ["both", "answers", "requests"] as const) {
    it(`ends its actors before others run them, when ${way === "both" ? "nothing passes" : `no ${way} pass`}`, async (t) => {
      const c = await TestCluster.start(t, 1, { resources: seats });
      const node = await farNode(t, c);
      const { pids, assertLives } = await witnessesOn(t, c, node.id);
      const since = performance.now();
      node.cable.cut(way);
      await node.exited;
      const ended = performance.now() - since;
      await c.heard("node-dead", new RegExp(node.id));
      t.diagnostic(
        `ended itself after ${ended.toFixed(0)} ms, declared dead after ${(performance.now() - since).toFixed(0)} ms`,
      );
      await assertLives(2);
      assert.ok(pids.every(hasEnded));
    });
  }

  it("ends its actors before others run them, when all who heard it die too", async (t) => {
    const c = await TestCluster.start(t, 2, { resources: seats });
    const node = await farNode(t, c);
    const { pids, assertLives } = await witnessesOn(t, c, node.id);
    node.cable.cut("both");
    for (const near of ["n1", "n2"]) process.kill(c.node(near).pid, "SIGKILL");
    await c.heard("node-dead", new RegExp(`node ${node.id} `));
    await assertLives(2);
    assert.ok(pids.every(hasEnded));
  });

  it("coordinates no more once it is cut off, and what it had sent changes nothing when it arrives", async (t) => {
    const c = await TestCluster.start(t, 1, { resources: seats });
    const node = await farNode(t, c);
    process.kill(c.node("n1").pid, "SIGKILL");
    await c.heard("coordinator", new RegExp(`node ${node.id} coordinates now`));
    await c.heard("node-up", /n1-1/);
    const far = await witnessesOn(t, c, node.id);
    const life = lifeFile(t);
    const near = await c.system.spawn(witness, { node: "n1-1", hosting: "process", args: [life] });
    node.cable.cut("both");
    process.kill(c.actor(near.id).pid, "SIGKILL"); // its agent reports that to whoever coordinates
    await node.exited;
    await far.assertLives(2);
    node.cable.mend();
    assert.equal(await near.epoch(), 2);
    await far.assertLives(2);
    assertOneAtATime(life, 2);
    assert.ok(c.events.findLast((e) => e.kind === "coordinator")?.text.startsWith("node n1-1 coordinates now"));
  });
});

describe("a process that is stopped, and let go on once it was replaced", () => {
  for (const victim of ["agent", "worker"] as const) {
    it(`never acts again: its ${victim}`, async (t) => {
      const c = await TestCluster.start(t, 2, { resources: seats });
      const { actors, pids, assertLives } = await witnessesOn(t, c, "n2");
      const pid = victim === "agent" ? c.node("n2").pid : pids[2]!;
      process.kill(pid, "SIGSTOP");
      const lost = victim === "agent" ? actors[0]! : actors[2]!;
      assert.equal(await lost.epoch(), 2);
      assert.ok(hasEnded(pid), "the kernel ended it while it was stopped, so there is nothing to let go on");
      assert.throws(() => process.kill(pid, "SIGCONT"), { code: "ESRCH" });
      if (victim === "agent") await assertLives(2);
    });
  }
});
