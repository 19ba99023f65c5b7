import assert from "node:assert/strict";
import { test } from "node:test";
import { TestCluster } from "../cluster/testing.js";
import { ledger } from "../cluster/testing-actors.js";

for (const hosting of ["inline", "thread", "process"] as const) {
  test(`state moves to another node when its own is killed (${hosting})`, async (t) => {
    const c = await TestCluster.start(t, 2);
    const l = await c.system.spawn(ledger, { hosting });
    await l.addAndSave(3);
    const { node } = await l.where();
    process.kill(c.node(node).pid, "SIGKILL");
    await c.heard("actor-restarted");
    const after = await l.where();
    assert.deepEqual([after.sum, after.epoch], [3, 2]);
    assert.notEqual(after.node, node);
    await l.addAndSave(1);
    assert.equal((await l.where()).sum, 4);
  });
}

test("state outlives a process that is killed again and again while nats-server is killed too", async (t) => {
  const c = await TestCluster.start(t, 1);
  const l = await c.system.spawn(ledger, { hosting: "process", restart: { max: 20, backoffMs: 1 } });
  for (let i = 1; i <= 4; i++) {
    if (i % 2 === 0) process.kill(c.file.natsPids[0]!, "SIGKILL");
    await l.addAndSave(1);
    process.kill((await l.where()).pid, "SIGKILL");
    await c.heard("actor-restarted", new RegExp(`as incarnation ${i + 1},`));
    const { sum, epoch } = await l.where();
    assert.deepEqual([sum, epoch], [i, i + 1]);
  }
});
