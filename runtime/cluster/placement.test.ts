import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Candidate, place, shortage } from "./placement.js";

const node = (slot: number, cpus: number, used: number[] = []): Candidate => ({
  id: `n${slot}`,
  slot,
  capacity: { cpus },
  used: used.map((n) => ({ cpus: n })),
});
const wish = (cpus: number, at = "") => ({ needs: { cpus }, node: at, what: "x" });

describe("placement", () => {
  it("takes the node with the fewest actors, then the lowest slot", () => {
    assert.equal(place(wish(0), [node(1, 2, [0]), node(3, 2), node(2, 2)]), "n2");
  });

  it("keeps to a wished slot even after its node was started again", () => {
    const again = { ...node(2, 2), id: "n2-1" };
    assert.equal(place(wish(1, "n2"), [node(1, 2), again]), "n2-1");
  });

  it("waits when room may come, and says what is short", () => {
    const full = [node(1, 2, [2])];
    assert.equal(place(wish(1), full), undefined);
    assert.equal(shortage(wish(1), full), "n1 lacks cpus 1 (0 free)");
  });

  it("waits for a node that is down when no other will do, and otherwise goes elsewhere", () => {
    const down = { ...node(1, 4), away: true };
    assert.equal(place(wish(3), [down, node(2, 2)]), undefined);
    assert.equal(place(wish(0, "n1"), [down, node(2, 2)]), undefined);
    assert.equal(place(wish(1), [down, node(2, 2)]), "n2");
    assert.equal(shortage(wish(3), [down, node(2, 2)]), "n1 is down; n2 lacks cpus 3 (2 free)");
  });

  it("refuses what no node could ever hold, naming each node", () => {
    assert.throws(
      () => place(wish(3), [node(1, 2), node(2, 1)]),
      /n1 lacks cpus 3 \(2 free\); n2 lacks cpus 3 \(1 free\)/,
    );
    assert.throws(() => place(wish(1, "n9"), [node(1, 2)]), /there is no node n9/);
  });

  it("never gives a node more than it has, and places whenever some node has room", () => {
    const cpus = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cpus, fc.array(cpus, { maxLength: 3 })), { minLength: 1, maxLength: 5 }),
        cpus,
        (spec, need) => {
          const nodes = spec.map(([capacity, used], i) => node(i + 1, capacity, used));
          const room = (n: Candidate) => (n.capacity.cpus ?? 0) - n.used.reduce((sum, u) => sum + (u.cpus ?? 0), 0);
          let chosen: string | undefined;
          try {
            chosen = place(wish(need), nodes);
          } catch {
            assert.ok(nodes.every((n) => (n.capacity.cpus ?? 0) < need));
            return;
          }
          if (chosen === undefined) assert.ok(need > 0 && nodes.every((n) => room(n) < need));
          else assert.ok(need === 0 || room(nodes.find((n) => n.id === chosen)!) >= need);
        },
      ),
    );
  });
});
