import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import type { ActorId } from "../core/ids.js";
import { ActorState, Directory, hasEnded } from "../directory/directory.js";
import { MemoryStore } from "../directory/store.js";
import { amounts, type Seat } from "./loads.js";
import { Records } from "./records.js";

const nodes = ["n1", "n2", "n3"];
const parents = ["", "p1", "p2"];
const yes = () => Promise.resolve(true);
const recordsOf = (directory: Directory) => new Records({ directory, leads: yes, holds: yes });

const seat = fc.record({
  node: fc.constantFrom("", ...nodes),
  devices: fc.subarray(["0", "1"]),
});
const step = fc.oneof(
  fc.record({ do: fc.constant("create" as const), gpus: fc.constantFrom(0, 0.1, 0.3, 1, 2), of: fc.nat(2) }),
  fc.record({ do: fc.constant("change" as const), at: fc.nat(), state: fc.constantFrom(1, 2, 3, 4, 5), seat }),
  fc.record({ do: fc.constant("wait" as const), at: fc.nat(), why: fc.constantFrom("", "no room") }),
  fc.record({ do: fc.constant("choose" as const), at: fc.nat(), seat }),
  fc.record({ do: fc.constant("release" as const), at: fc.nat() }),
  fc.record({ do: fc.constant("trim" as const), kept: fc.nat(3) }),
);

/** What `Records` keeps, counted afresh from the records themselves. */
function check(records: Records, ids: readonly ActorId[], chosen: ReadonlyMap<string, Seat>): void {
  const all = ids.flatMap((id) => records.get(id) ?? []);
  const live = all.filter((r) => !hasEnded(r));
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();
  assert.deepEqual(idsOf(records.live()), idsOf(live));
  assert.deepEqual(idsOf(records.waiting()), idsOf(live.filter((r) => r.waiting !== "")));
  assert.deepEqual(records.owners().sort(), [...new Set(live.map((r) => r.parent))].sort());
  for (const parent of parents)
    assert.deepEqual(idsOf(records.childrenOf(parent)), idsOf(live.filter((r) => r.parent === parent)));
  for (const node of nodes) {
    const here = live
      .map((r) => ({ r, at: chosen.get(r.id) ?? { node: r.node, devices: r.devices } }))
      .filter(({ at }) => at.node === node);
    const load = records.load(node);
    assert.equal(load.count, here.length);
    for (const gang of ["g0", "g1", "g2"])
      assert.deepEqual(
        [...load.gang(gang)].sort(),
        idsOf(here.flatMap(({ r }) => (r.placement!.gang === gang ? [r] : []))),
      );
    for (const key of ["cpus", "gpus", "memoryMb", "tape"]) {
      const sum = here.reduce((total, { r }) => total + (amounts(r.needs!)[key] ?? 0), 0);
      assert.ok(Math.abs(load.amount(key) - sum) < 1e-9, `${key} of ${node}: ${load.amount(key)}, not ${sum}`);
    }
    for (const device of ["0", "1"]) {
      const parts = here.filter(({ at }) => at.devices.includes(device));
      const sum = parts.reduce((total, { r, at }) => total + r.needs!.gpus! / at.devices.length, 0);
      assert.ok(Math.abs(load.device(device) - sum) < 1e-9);
    }
  }
}

describe("what actors take of nodes", () => {
  it("is, after any history of records, what counting all of them gives", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const directory = await Directory.open(new MemoryStore());
        const records = recordsOf(directory);
        const ids: ActorId[] = [];
        const chosen = new Map<string, Seat>();
        for (const [i, now] of steps.entries()) {
          const id = "at" in now ? ids[now.at % Math.max(1, ids.length)] : undefined;
          const record = id && records.get(id);
          if (now.do === "create") {
            const made = new actors.v1.ActorRecord({
              id: `a${i}`,
              parent: parents[now.of]!,
              state: ActorState.PENDING,
            });
            made.needs = { cpus: now.of, gpus: now.gpus, custom: { tape: now.gpus / 3 } };
            made.placement = { gang: `g${now.of}` };
            await records.create(made);
            ids.push(made.id as ActorId);
          } else if (now.do === "trim") {
            await records.trim(now.kept);
          } else if (!record || hasEnded(record)) {
            // it ends once
          } else if (now.do === "change") {
            await records.change(id!, { state: now.state, ...now.seat });
          } else if (now.do === "wait") {
            await records.change(id!, { waiting: now.why });
          } else if (now.do === "choose") {
            records.choose(record, now.seat);
            chosen.set(id!, now.seat);
          } else {
            records.release(id!);
            chosen.delete(id!);
          }
          check(records, ids, chosen);
        }
        for (const id of ids) records.release(id);
        const kept = ids.filter((each) => records.get(each));
        check(records, ids, new Map());
        check(recordsOf(directory), kept, new Map()); // as the next coordinator reads them
        const nobody = records.without(kept, () => nodes.map((node) => records.load(node).amount("cpus")));
        assert.deepEqual(nobody, [0, 0, 0]);
        check(records, ids, new Map());
      }),
    );
  });
});
