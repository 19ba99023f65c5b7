import assert from "node:assert/strict";
import { test } from "node:test";
import { TestCluster, until } from "./testing.js";
import { probe } from "./testing-actors.js";

test("a process sees the GPUs that were handed out to its actor, and no others", async (t) => {
  const c = await TestCluster.start(t, 2, { slots: { n1: { devices: [] }, n2: { devices: ["3", "4", "5"] } } });
  const two = await c.system.spawn(probe, { hosting: "process", gpus: 2 });
  const none = await c.system.spawn(probe, { hosting: "process" });
  const { node, devices, visible } = await two.where();
  assert.deepEqual([node, devices, visible], ["n2", ["3", "4"], "3,4"]);
  assert.equal((await none.where()).visible, "");
});

test("a group that waits for room is placed whole by whichever coordinator takes over", async (t) => {
  const c = await TestCluster.start(t, 2, { resources: { tape: 2 } });
  const tape = { resources: { tape: 1 }, hosting: "process" } as const;
  const holder = await c.system.spawn(probe, tape);
  const group = c.system.spawnGroup(probe, 4, tape);
  await until("a group that waits", () => c.system.ps().actors.filter((a) => a.waiting !== "").length === 4);
  for (const node of ["n1", "n2"]) {
    process.kill(c.node(node).pid, "SIGKILL");
    await c.heard("node-up", new RegExp(`as ${node}-1`));
  }
  await holder.where();
  const none = c.system.ps().actors.filter((a) => a.state === "PENDING" && a.node === "");
  assert.equal(none.length, 4);
  await c.system.stop(holder);
  const nodes = (await (await group).where.all()).map((at) => at.node.slice(0, 2));
  assert.deepEqual(nodes.sort(), ["n1", "n1", "n2", "n2"]);
});
