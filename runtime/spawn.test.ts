import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localSystem } from "./cluster/local.js";
import { heard } from "./cluster/testing.js";
import { mayfly, parent, probe, stillborn } from "./cluster/testing-actors.js";
import { isActorsError } from "./core/errors.js";

const hasCode = (code: string) => (error: unknown) => isActorsError(error) && error.code === code;

describe("getOrSpawn", () => {
  it("makes one actor, however many ask at once, and gives it to all", async () => {
    await using system = await localSystem({ nodes: 2 });
    const asked = Array.from({ length: 20 }, () => system.getOrSpawn(probe, { name: "shared" }));
    const ids = new Set((await Promise.all(asked)).map((p) => p.id));
    assert.equal(ids.size, 1);
    assert.equal(system.ps().actors.length, 1);
    assert.equal((await system.getOrSpawn(probe, { name: "shared" })).id, [...ids][0]);
    assert.equal(system.lookup(probe, "shared").id, [...ids][0]);
  });

  it("lets exactly one of many plain spawns have the name", async () => {
    await using system = await localSystem();
    const asked = Array.from({ length: 10 }, () => system.spawn(probe, { name: "one" }));
    const settled = await Promise.allSettled(asked);
    const refused = settled.flatMap((s) => (s.status === "rejected" ? [s.reason] : []));
    assert.equal(refused.length, 9);
    for (const error of refused) assert.ok(hasCode("NAME_TAKEN")(error), String(error));
  });

  it("refuses a name that belongs to another definition", async () => {
    await using system = await localSystem();
    await system.spawn(probe, { name: "mine" });
    await assert.rejects(system.getOrSpawn(parent, { name: "mine" }), (error) => {
      assert.ok(isActorsError(error, "NAME_TAKEN"));
      assert.equal(error.rawMessage, "mine is a test.probe, not a test.parent");
      return true;
    });
  });

  it("makes a new one when the last of that name has ended or is being stopped", async () => {
    await using system = await localSystem();
    const first = await system.getOrSpawn(probe, { name: "again" });
    const stopping = system.stop(first);
    const second = await system.getOrSpawn(probe, { name: "again" });
    await stopping;
    assert.notEqual(second.id, first.id);
    assert.equal(await second.add(1), 1);
  });

  it("waits for an actor that restarts", async () => {
    await using system = await localSystem();
    const p = await system.getOrSpawn(probe, { name: "back", hosting: "thread", restart: { backoffMs: 1 } });
    const died = heard(system, "actor-died");
    p.crash.tell();
    assert.equal((await died).subject, p.id);
    const same = await system.getOrSpawn(probe, { name: "back" });
    assert.equal(same.id, p.id);
    assert.equal((await same.where()).epoch, 2);
  });

  it("gives each asker the failure of a start that cannot succeed", async () => {
    await using system = await localSystem();
    const ask = () => system.getOrSpawn(stillborn, { name: "never", args: [3], hosting: "thread" });
    const settled = await Promise.allSettled([ask(), ask()]);
    for (const s of settled) assert.ok(s.status === "rejected" && hasCode("START_FAILED")(s.reason), String(s));
  });
});

describe("a name", () => {
  it("is refused at once when the directory could not hold it", async () => {
    await using system = await localSystem();
    for (const name of ["", "a b", "a.*", "a..b", ".a", "ü"])
      await assert.rejects(system.spawn(probe, { name }), hasCode("INVALID_ARGUMENT"), name);
    await system.spawn(probe, { name: "a-b_c/d=e.f" });
  });
});

describe("a detached actor", () => {
  it("outlives the actor that spawned it, until it is stopped", async () => {
    await using system = await localSystem();
    const creator = await system.spawn(parent);
    const [kept, lost] = await Promise.all([creator.bear({ detached: true }), creator.bear({})]);
    const owners = new Map(system.ps().actors.map((a) => [a.id as string, a.owner]));
    assert.deepEqual([owners.get(kept.id), owners.get(lost.id)], ["", creator.id]);
    await system.stop(creator);
    await assert.rejects(lost.add(1), hasCode("ACTOR_STOPPED"));
    assert.equal(await kept.add(1), 1);
    await system.stop(kept);
    await assert.rejects(kept.add(1), hasCode("ACTOR_STOPPED"));
  });
});

describe("an actor that cannot start again as often as its policy allows", () => {
  it("has failed for good, and its record keeps why", async () => {
    await using system = await localSystem();
    const m = await system.spawn(mayfly, { hosting: "thread", restart: { max: 1, backoffMs: 1 } });
    m.crash.tell();
    const seen = [];
    for await (const event of system.watch(m)) seen.push(event);
    const { kind, error } = seen.at(-1)!;
    assert.equal(kind, "failed");
    assert.match(String(error!.cause), /START_FAILED.*no second life/);
    const [info] = system.ps().actors;
    assert.deepEqual(
      info!.crashes.map((c) => [c.epoch, c.node, c.error.split(" ", 1)[0]]),
      [
        [1, "n1", "[ACTOR_DIED]"],
        [2, "n1", "[START_FAILED]"],
      ],
    );
  });
});
