import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localSystem } from "../cluster/local.js";
import { heard, until } from "../cluster/testing.js";
import { badStarts, journal, ledger, probe } from "../cluster/testing-actors.js";
import { isActorsError } from "../core/errors.js";
import type { ActorSystem } from "../system.js";

const stateOf = (system: ActorSystem, { id }: { id: string }) => system.ps().actors.find((a) => a.id === id)!.state;
const passive = (system: ActorSystem, actor: { id: string }) =>
  until(`${actor.id} is passive`, () => stateOf(system, actor) === "PASSIVE");

/** Long enough for it to look whether it is idle many times. */
async function manyLooks(system: ActorSystem): Promise<void> {
  const other = await system.spawn(ledger, { passivateAfterMs: 40 });
  await passive(system, other);
  await system.stop(other);
}

describe("an actor without calls", () => {
  for (const hosting of ["inline", "thread"] as const) {
    it(`becomes passive, and a call starts it with its state (${hosting})`, async () => {
      await using system = await localSystem();
      const seen: string[] = [];
      const l = await system.spawn(ledger, { hosting, passivateAfterMs: 500, cpus: 1 });
      const watching = (async () => {
        for await (const { kind, epoch } of system.watch(l)) seen.push(`${kind} ${epoch}`);
      })();
      const ended = heard(system, "actor-passivated");
      await l.add(5);
      await ended;
      const { node, pid, epoch } = system.ps().actors.find((a) => a.id === l.id)!;
      assert.deepEqual([node, pid, epoch], ["", 0, 1]);
      const { sum, epoch: now } = await l.where();
      assert.deepEqual([sum, now], [5, 2]);
      await system.stop(l);
      await watching;
      assert.deepEqual(
        seen.filter((each) => !each.startsWith("passivated 2")),
        ["started 1", "passivated 1", "started 2", "stopped 2"],
      );
    });
  }

  it("is woken by a message without an answer, in order with the calls that follow", async () => {
    await using system = await localSystem();
    const j = await system.spawn(journal, { passivateAfterMs: 20 });
    await passive(system, j);
    const told = j.write.tell("a", 0);
    const called = j.write("a", 1);
    j.write.tell("a", 2);
    assert.deepEqual(await j.read(), [
      ["a", 0],
      ["a", 1],
      ["a", 2],
    ]);
    await told;
    assert.equal(await called, 2);
  });

  it("is found by its name", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, { name: "l", passivateAfterMs: 20 });
    await l.add(3);
    await passive(system, l);
    assert.equal((await system.lookup(ledger, "l").where()).sum, 3);
    await passive(system, l);
    const same = await system.getOrSpawn(ledger, { name: "l" });
    assert.equal(same.id, l.id);
    assert.equal(await same.add(1), 4);
  });

  it("counts as dead and restarted only when it was", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, { hosting: "thread", passivateAfterMs: 40, restart: { backoffMs: 1 } });
    await l.addAndSave(3);
    const again = heard(system, "actor-restarted");
    l.crash.tell();
    await again;
    await passive(system, l);
    assert.equal((await l.where()).sum, 3);
    assert.equal(system.ps().actors[0]!.restarts, 1);
  });

  it("stays active while it runs a call or a stream, holds an object, or a child of it is active", async () => {
    await using system = await localSystem();
    const j = await system.spawn(journal, { passivateAfterMs: 10 });
    await j.write("a", 1);
    const ref = await j.put();
    const { epoch } = await j.where();
    await manyLooks(system);
    assert.equal((await j.where()).epoch, epoch, "it holds an object");
    await system.free(ref);
    await passive(system, j);
    const child = await j.bear({});
    const borne = (await j.where()).epoch;
    await manyLooks(system);
    assert.equal((await j.where()).epoch, borne, "it has a child");
    await system.stop(child);
    await passive(system, j);
    const reading = j.lines();
    const first = await reading.next();
    assert.equal(first.done, false);
    const streaming = (await j.where()).epoch;
    await manyLooks(system);
    assert.equal((await j.where()).epoch, streaming, "it has a stream");
    await j.close();
    assert.equal((await reading.next()).done, true);
    await passive(system, j);
  });

  it("may be passive when its children are, and takes them along in the end", async () => {
    await using system = await localSystem();
    const j = await system.spawn(journal, { passivateAfterMs: 10 });
    const child = await j.bear({ passivateAfterMs: 10 });
    await passive(system, child);
    await passive(system, j);
    assert.equal(await child.write("a", 1), 2);
    await passive(system, child);
    await system.stop(j);
    for (const each of [j, child]) {
      assert.equal(stateOf(system, each), "STOPPED");
      await assert.rejects(each.where(), (error) => isActorsError(error, "ACTOR_STOPPED"));
    }
  });

  it("stays active when its state cannot be kept", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, { passivateAfterMs: 10 });
    await l.add(-5);
    const { epoch } = await l.where();
    await manyLooks(system);
    assert.deepEqual([(await l.where()).epoch, stateOf(system, l)], [epoch, "RUNNING"]);
    await l.add(6);
    await passive(system, l);
    assert.equal((await l.where()).sum, 1);
  });

  it("is restarted by its policy when it cannot be woken, and keeps its state meanwhile", async () => {
    await using system = await localSystem();
    const l = await system.spawn(ledger, { passivateAfterMs: 20, restart: { max: 3, backoffMs: 1 } });
    await l.add(5);
    await passive(system, l);
    const restarts: string[] = [];
    system.onEvent(({ kind, text }) => kind === "actor-restarted" && restarts.push(text));
    badStarts.left = 3;
    assert.deepEqual(await l.add(1), 6);
    assert.equal(system.ps().actors.find((a) => a.id === l.id)!.restarts, 3);
    assert.equal(restarts.length, 1);
    assert.match(restarts[0]!, /as incarnation 5/);
    await passive(system, l);
    badStarts.left = 5;
    await assert.rejects(
      l.add(1),
      (error) => isActorsError(error, "ACTOR_STOPPED") && /not yet/.test(String(error.cause)),
    );
    badStarts.left = 0;
  });

  it("gives its resources back, and waits for room to start again", async () => {
    await using system = await localSystem({ offers: { resources: { seat: 1 } } });
    const l = await system.spawn(ledger, { passivateAfterMs: 20, resources: { seat: 1 } });
    await l.add(2);
    await passive(system, l);
    const other = await system.spawn(probe, { resources: { seat: 1 } });
    await assert.rejects(l.where.with({ timeoutMs: 300 })(), (error) => isActorsError(error, "DEADLINE_EXCEEDED"));
    const waits = l.where();
    await system.stop(other);
    assert.equal((await waits).sum, 2);
  });

  it("must have hooks that keep its state", async () => {
    await using system = await localSystem();
    await assert.rejects(system.spawn(probe, { passivateAfterMs: 10 }), /test\.probe cannot be passivated/);
    await assert.rejects(system.spawn(ledger, { passivateAfterMs: -1 }), /passivateAfterMs -1 is not from 0/);
  });
});

describe("calls that come while it becomes passive", () => {
  for (const hosting of ["inline", "thread"] as const) {
    it(`are all run once, in the order of their caller (${hosting})`, async () => {
      await using system = await localSystem({ nodes: 2 });
      const j = await system.spawn(journal, { hosting, passivateAfterMs: 1 });
      const rounds = hosting === "inline" ? 50 : 20;
      const callers = ["a", "b", "c"];
      await Promise.all(
        callers.map(async (by) => {
          let n = 0;
          for (let round = 0; round < rounds; round++) {
            const pause = Math.random() * 8;
            await new Promise((resolve) => setTimeout(resolve, pause));
            if (n % 3 === 0) j.write.tell(by, n++);
            await Promise.all([j.write(by, n++), j.writeLater(by, n++)]);
          }
        }),
      );
      const written = await j.read();
      for (const by of callers) {
        const own = written.filter(([each]) => each === by).map(([, n]) => n);
        assert.deepEqual(own, [...own.keys()]);
        assert.ok(own.length >= 2 * rounds);
      }
      const { epoch } = await j.where();
      assert.ok(epoch > 2, `it was passive ${epoch} times`);
    });
  }
});
