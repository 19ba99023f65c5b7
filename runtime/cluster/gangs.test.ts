import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actors } from "#protos";
import { Endpoint } from "../core/endpoint.js";
import { isActorsError } from "../core/errors.js";
import { newEndpointId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { Directory } from "../directory/directory.js";
import { StoredSnapshots } from "../directory/snapshots.js";
import { MemoryStore } from "../directory/store.js";
import { newRecord } from "../spawn.js";
import type { ActorSystem } from "../system.js";
import { MemoryBus } from "../transport/bus.js";
import { MemoryNetwork } from "../transport/memory.js";
import { Coordinator } from "./coordinator.js";
import { localSystem } from "./local.js";
import { until } from "./testing.js";
import { mayfly, probe, stillborn } from "./testing-actors.js";

const slots = (n: number, resources: Record<string, number>) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`n${i + 1}`, { resources, devices: [] }]));
const tape = (n: number) => ({ resources: { tape: n } });
const live = (system: ActorSystem) => system.ps().actors.filter((a) => a.state === "RUNNING");
const waiting = (system: ActorSystem, why: RegExp) =>
  until(`an actor that waits: ${why}`, () => system.ps().actors.some((a) => why.test(a.waiting)));

describe("a group", () => {
  it("spreads, packs, or keeps strictly to its strategy", async () => {
    await using system = await localSystem({ nodes: 3 });
    const nodes = async (strategy: "spread" | "pack" | "strict-spread" | "strict-pack", count: number) => {
      const group = await system.spawnGroup(probe, count, { strategy });
      return (await group.where.all()).map((at) => at.node).sort();
    };
    assert.deepEqual(await nodes("spread", 6), ["n1", "n1", "n2", "n2", "n3", "n3"]);
    assert.equal(new Set(await nodes("pack", 5)).size, 1);
    assert.equal(new Set(await nodes("strict-pack", 4)).size, 1);
    assert.deepEqual(await nodes("strict-spread", 3), ["n1", "n2", "n3"]);
    const four = system.spawnGroup(probe, 4, { strategy: "strict-spread" });
    await assert.rejects(four, (error) => isActorsError(error, "INFEASIBLE") && /of 3$/.test(error.rawMessage));
    assert.equal(live(system).length, 18);
    assert.equal((await system.spawnGroup(probe, 0)).length, 0);
  });

  it("takes nothing while there is not room for all, and says what it waits for", async () => {
    await using system = await localSystem({ nodes: 2, offers: { slots: slots(2, { tape: 2 }) } });
    const [holder] = await system.spawnGroup(probe, 1, tape(1));
    const four = system.spawnGroup(probe, 4, tape(1));
    await waiting(system, /^n1 has room, but not for all; n2 has room, but not for all$/);
    assert.ok(system.ps().actors.every((a) => a.state === "RUNNING" || a.node === ""));
    await system.stop(holder!);
    const at = await (await four).where.all();
    assert.deepEqual(at.map(({ node }) => node).sort(), ["n1", "n1", "n2", "n2"]);
    assert.ok(system.ps().actors.every((a) => a.waiting === ""));
  });

  it("is not overtaken by what asks for the same, only by what asks for something else", async () => {
    await using system = await localSystem({ offers: { slots: slots(1, { tape: 2, film: 1 }) } });
    const holder = await system.spawn(probe, tape(1));
    const group = system.spawnGroup(probe, 2, tape(1));
    await waiting(system, /^n1 has room, but not for all$/);
    const late = system.spawn(probe, { name: "late", ...tape(1) });
    await waiting(system, /^test\.probe\(\w+\) waits for the same and came first$/);
    await system.spawn(probe, { resources: { film: 1 } });
    await system.stop(holder);
    const members = await group;
    await waiting(system, /^n1 lacks tape 1 \(0 free\)$/);
    await system.stop(members[0]!);
    await late;
  });

  it("two groups that need each other's room never both hold a part of it", async () => {
    await using system = await localSystem({ nodes: 2, offers: { slots: slots(2, { tape: 3 }) } });
    const both = [system.spawnGroup(probe, 4, tape(1)), system.spawnGroup(probe, 4, tape(1))];
    const first = await Promise.race(both);
    assert.equal(live(system).length, 4);
    for (const member of first) await system.stop(member);
    assert.deepEqual(
      (await Promise.all(both)).map((group) => group.length),
      [4, 4],
    );
  });

  it("gives up in time, naming what is missing, and leaves nothing", async () => {
    await using system = await localSystem({ offers: { slots: slots(1, { tape: 2 }) } });
    await system.spawn(probe, tape(1));
    const late = system.spawnGroup(probe, 2, { ...tape(1), timeoutMs: 700 });
    await assert.rejects(late, /DEADLINE_EXCEEDED/);
    await until("the end of what waited", () => system.ps().actors.filter((a) => a.state === "FAILED").length === 2);
    assert.match(system.ps().actors.find((a) => a.state === "FAILED")!.failure, /no room for .*: n1 has room, but not/);
    await system.spawnGroup(probe, 1, tape(1));
  });

  it("all of it stops when one of it does not start", async () => {
    await using system = await localSystem({ offers: { slots: slots(1, { tape: 3 }) } });
    const args = (rank: number): [number] => [rank === 1 ? 3 : 4];
    const broken = system.spawnGroup(stillborn, 3, { hosting: "thread", ...tape(1), args, restart: { max: 0 } });
    await assert.rejects(broken, (error) => isActorsError(error, "START_FAILED"));
    assert.deepEqual(live(system), []);
    await system.spawnGroup(probe, 3, tape(1));
  });

  it("a strictly packed member that is restarted comes back to the others", async () => {
    await using system = await localSystem({ nodes: 3 });
    const options = { strategy: "strict-pack", hosting: "thread", restart: { backoffMs: 1 } } as const;
    const group = await system.spawnGroup(probe, 2, options);
    const { node } = await group[1]!.where();
    group[0]!.crash.tell();
    const restarted = system.watch(group[0]!);
    for await (const { kind } of restarted) if (kind === "restarted") break;
    assert.equal((await group[0]!.where()).node, node);
  });
});

/** Answers no write after the first records, as for a coordinator that is killed then. */
class CutStore extends MemoryStore {
  records = 2;
  override create(key: string, value: Uint8Array): Promise<number> {
    if (key.startsWith("actor.") && this.records-- <= 0) return new Promise(() => {});
    return super.create(key, value);
  }
}

describe("a coordinator that takes over", () => {
  it("ends a gang of which only some records were written, and says so to who asks again", async (t) => {
    const store = new CutStore();
    const network = new MemoryNetwork();
    const coordinate = async (leads: boolean) => {
      const directory = await Directory.open(store);
      const id = newEndpointId("client");
      const endpoint = new Endpoint(id, network.open(id), directory);
      t.after(async () => {
        directory.close();
        await endpoint.close("the test ended");
      });
      const snapshots = new StoredSnapshots(() => Promise.resolve(new MemoryStore()));
      const on = { caller: endpoint.calls, directory, snapshots, bus: new MemoryBus(), log: makeLogger("test") };
      return new Coordinator({ ...on, leads: () => Promise.resolve(leads), holds: () => Promise.resolve(true) });
    };
    const gang = Array.from({ length: 4 }, () =>
      newRecord(probe, {}, { owner: "e-client", module: probe.module }, { id: "gang", size: 4 }),
    );
    const encoded = gang.map((record) => actors.v1.ActorRecord.encode(record).finish());
    const killed = await coordinate(false);
    void killed.spawnGang(encoded, 60_000);
    killed.end();

    const next = await coordinate(true);
    await next.takeOver();
    await assert.rejects(next.spawnGang(encoded, 60_000), (error) => {
      return isActorsError(error, "UNAVAILABLE") && error.retryable && /: 2 of 4 members were left/.test(error.message);
    });
    const left = await Promise.all(gang.map(({ id }) => store.get(`actor.${id}`)));
    const states = left.map((entry) => entry && actors.v1.ActorRecord.decode(entry.value).state);
    assert.deepEqual(states, [actors.v1.ActorState.FAILED, actors.v1.ActorState.FAILED, undefined, undefined]);
  });
});

describe("GPUs", () => {
  const offers = { slots: { n1: { devices: ["0", "1"] } } };

  it("are handed out by id, whole or in parts, and taken back", async () => {
    await using system = await localSystem({ offers });
    const [a, b] = await system.spawnGroup(probe, 2, { gpus: 0.5 });
    assert.deepEqual([(await a!.where()).devices, (await b!.where()).devices], [["0"], ["0"]]);
    const whole = await system.spawn(probe, { gpus: 1 });
    assert.deepEqual((await whole.where()).devices, ["1"]);
    const two = system.spawn(probe, { gpus: 2 });
    await waiting(system, /^n1 lacks gpus 2 \(0 free\)$/);
    for (const holder of [a!, b!, whole]) await system.stop(holder);
    assert.deepEqual((await (await two).where()).devices, ["0", "1"]);
    assert.deepEqual(system.ps().nodes[0]!.devices, ["0", "1"]);
  });

  it("cannot be asked for as one and a half, or where there are none", async () => {
    await using system = await localSystem({ offers });
    await assert.rejects(system.spawn(probe, { gpus: 1.5 }), (error) => isActorsError(error, "INVALID_ARGUMENT"));
    await assert.rejects(system.spawn(probe, { gpus: 3 }), /n1 lacks gpus 3 \(2 free\)/);
  });

  it("go with an actor that fails for good", async () => {
    await using system = await localSystem({ offers });
    const m = await system.spawn(mayfly, { gpus: 2, hosting: "thread" });
    m.crash.tell();
    await until("its end", () => system.ps().actors[0]!.state === "FAILED");
    await system.spawn(probe, { gpus: 2 });
  });
});
