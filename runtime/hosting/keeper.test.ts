import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localSystem } from "../cluster/local.js";
import { ledger, probe } from "../cluster/testing-actors.js";
import { defineActor } from "../core/definition.js";
import { isActorsError } from "../core/errors.js";
import type { ActorSystem } from "../system.js";

const options = { hosting: "thread", restart: { backoffMs: 1, max: 3 } } as const;

async function restarted(system: ActorSystem, actor: object): Promise<void> {
  for await (const { kind } of system.watch(actor)) if (kind !== "started") return;
}

describe("an actor with snapshot and restore", () => {
  for (const hosting of ["inline", "thread"] as const) {
    it(`starts from its class, and saves when it asks (${hosting})`, async () => {
      await using system = await localSystem();
      const l = await system.spawn(ledger, { hosting });
      assert.equal((await l.where()).sum, 0);
      assert.equal(await l.addAndSave(3), 3);
    });
  }

  it("goes on from what it saved", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, options);
    await l.addAndSave(3);
    l.crash.tell();
    await restarted(system, l);
    assert.deepEqual([(await l.where()).epoch, await l.add(4)], [2, 7]);
  });

  it("is kept a moment after a handler ran, without asking", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, options);
    const taken = l.taken();
    await l.add(5);
    await taken;
    await l.taken(); // the one before is written by now
    l.crash.tell();
    await restarted(system, l);
    assert.equal((await l.where()).sum, 5);
  });

  it("keeps the state before when a snapshot fails, and says why to who asked for it", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, options);
    await l.addAndSave(2);
    await assert.rejects(l.addAndSave(-9), /in debt/);
    l.crash.tell();
    await restarted(system, l);
    assert.equal((await l.where()).sum, 2);
  });

  it("fails when what it kept cannot be restored", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, options);
    await l.addAndSave(13);
    l.crash.tell();
    await restarted(system, l);
    await assert.rejects(l.where(), (error) => {
      assert.ok(isActorsError(error));
      assert.match(String(error.cause), /an unlucky number/);
      return true;
    });
  });

  it("leaves no state to a new actor of its name", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, { name: "l" });
    await l.addAndSave(2);
    await system.stop(l);
    assert.equal((await (await system.spawn(ledger, { name: "l" })).where()).sum, 0);
  });

  it("is told from one without: hooks are no methods, one alone is refused, and nothing is kept", async () => {
    assert.ok(!ledger.methods.has("snapshot") && !ledger.methods.has("restore"));
    class Half {
      snapshot() {}
    }
    const half = () => defineActor({ name: "half", module: import.meta.url, class: Half });
    assert.throws(half, /actor half has snapshot, but not the other of snapshot and restore/);
    assert.equal(probe.snapshotMs, undefined);
  });
});
