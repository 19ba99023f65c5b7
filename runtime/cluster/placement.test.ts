import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isActorsError } from "../core/errors.js";
import { Load, type Placed } from "./loads.js";
import { type Candidate, compete, place, Strategy, shortage, type Wish } from "./placement.js";

let placements = 0;
const placed = (needs: Placed["needs"], more: Partial<Placed> = {}): Placed => ({
  id: `p${placements++}`,
  gang: "",
  needs,
  devices: [],
  ...more,
});
type More = Partial<Omit<Candidate, "used">> & { used?: Placed[] };
const node = (slot: number, cpus: number, used: number[] = [], { used: others, ...more }: More = {}): Candidate => ({
  id: `n${slot}`,
  slot,
  host: "h1",
  labels: {},
  capacity: { cpus, gpus: more.devices?.length ?? 0 },
  devices: [],
  used: Load.of(others ?? used.map((n) => placed({ cpus: n }))),
  ...more,
});
const wish = (needs: Wish["needs"], more: Partial<Wish> = {}): Wish => ({
  id: "w",
  what: "x",
  needs,
  node: "",
  labels: {},
  gang: "",
  strategy: Strategy.SPREAD,
  near: [],
  away: [],
  ...more,
});
const cpus = (n: number, more: Partial<Wish> = {}) => wish({ cpus: n }, more);
const gang = (n: number, needs: Wish["needs"], strategy: Wish["strategy"]) =>
  Array.from({ length: n }, (_, rank) => wish(needs, { id: `g${rank}`, gang: "g", strategy }));
const nodesOf = (wishes: Wish[], nodes: Candidate[]) => place(wishes, nodes)?.map((seat) => seat.node);
const one = (w: Wish, nodes: Candidate[]) => nodesOf([w], nodes)?.[0];

describe("placement of one actor", () => {
  it("takes the node with the fewest actors, then the lowest slot; packed, the fullest with room", () => {
    assert.equal(one(cpus(0), [node(1, 2, [0]), node(3, 2), node(2, 2)]), "n2");
    const nodes = [node(1, 4, [1]), node(2, 4, [1, 1]), node(3, 2, [1, 1, 0])];
    assert.equal(one(cpus(1, { strategy: Strategy.PACK }), nodes), "n2");
  });

  it("keeps to a wished slot even after its node was started again", () => {
    const again = { ...node(2, 2), id: "n2-1" };
    assert.equal(one(cpus(1, { node: "n2" }), [node(1, 2), again]), "n2-1");
  });

  it("keeps to labels", () => {
    const nodes = [node(1, 2), node(2, 2, [], { labels: { disk: "ssd" } })];
    assert.equal(one(cpus(0, { labels: { disk: "ssd" } }), nodes), "n2");
    assert.throws(() => one(cpus(0, { labels: { disk: "tape" } }), nodes), /n1 lacks label disk=tape; n2 lacks label/);
  });

  it("goes near others: to their node, else their host; and away from others where it can", () => {
    const other = [placed({}, { id: "a" })];
    const nodes = [node(1, 2), node(2, 2, [], { host: "h2" }), node(3, 1, [], { host: "h2", used: other })];
    assert.equal(one(cpus(1, { near: ["a"] }), nodes), "n3");
    assert.equal(one(cpus(2, { near: ["a"] }), nodes), "n2");
    assert.equal(one(cpus(1, { away: ["a"] }), nodes.slice(2)), "n3");
    assert.equal(one(cpus(1, { near: ["a"], away: ["a"] }), nodes), "n2");
  });

  it("waits when room may come, and says what is short", () => {
    const full = [node(1, 2, [2])];
    assert.equal(one(cpus(1), full), undefined);
    assert.equal(shortage([cpus(1)], full), "n1 lacks cpus 1 (0 free)");
  });

  it("waits for a node that is down when no other will do, and otherwise goes elsewhere", () => {
    const down = { ...node(1, 4), away: true };
    assert.equal(one(cpus(3), [down, node(2, 2)]), undefined);
    assert.equal(one(cpus(0, { node: "n1" }), [down, node(2, 2)]), undefined);
    assert.equal(one(cpus(1), [down, node(2, 2)]), "n2");
    assert.equal(shortage([cpus(3)], [down, node(2, 2)]), "n1 is down; n2 lacks cpus 3 (2 free)");
  });

  it("refuses what no node could ever hold, naming each node", () => {
    const lacks = /n1 lacks cpus 3 \(2 free\); n2 lacks cpus 3 \(1 free\)/;
    assert.throws(() => one(cpus(3), [node(1, 2), node(2, 1)]), lacks);
    assert.throws(() => one(cpus(1, { node: "n9" }), [node(1, 2)]), /n1 lacks the name n9/);
  });

  it("hands out whole GPUs, and parts of one that is shared already", () => {
    const used = [placed({ gpus: 0.5 }, { devices: ["1"] })];
    const nodes = [node(1, 2, [], { devices: ["0", "1", "2"], used })];
    assert.deepEqual(place([wish({ gpus: 0.5 })], nodes), [{ node: "n1", devices: ["1"] }]);
    assert.deepEqual(place([wish({ gpus: 0.6 })], nodes), [{ node: "n1", devices: ["0"] }]);
    assert.deepEqual(place([wish({ gpus: 2 })], nodes), [{ node: "n1", devices: ["0", "2"] }]);
    const parts = [node(1, 2, [], { devices: ["0", "1"], used: [...used, placed({ gpus: 0.5 }, { devices: ["0"] })] })];
    assert.equal(place([wish({ gpus: 1 })], parts), undefined);
    assert.equal(shortage([wish({ gpus: 1 })], parts), "n1 lacks gpus 1 (in parts only)");
  });

  it("tells what competes for the same", () => {
    assert.ok(compete(wish({ cpus: 1, gpus: 1 }), wish({ gpus: 2 })));
    assert.ok(!compete(wish({ cpus: 1 }), wish({ gpus: 2, custom: { tape: 1 } })));
  });
});

describe("placement of a gang", () => {
  it("spreads or packs its members, whatever else runs there", () => {
    const nodes = [node(1, 4, [0, 0]), node(2, 4), node(3, 4, [0])];
    assert.deepEqual(nodesOf(gang(4, { cpus: 1 }, Strategy.SPREAD), nodes), ["n2", "n3", "n1", "n2"]);
    assert.deepEqual(nodesOf(gang(3, { cpus: 2 }, Strategy.PACK), nodes), ["n1", "n1", "n3"]);
  });

  it("keeps strictly to one node, or to a node for each", () => {
    const nodes = [node(1, 2), node(2, 4), node(3, 4, [2])];
    assert.deepEqual(nodesOf(gang(3, { cpus: 1 }, Strategy.STRICT_PACK), nodes), ["n2", "n2", "n2"]);
    assert.deepEqual(nodesOf(gang(3, { cpus: 2 }, Strategy.STRICT_SPREAD), nodes)?.sort(), ["n1", "n2", "n3"]);
    assert.throws(
      () => place(gang(4, { cpus: 1 }, Strategy.STRICT_SPREAD), nodes),
      (error) => {
        assert.ok(isActorsError(error, "INFEASIBLE"));
        assert.deepEqual(error.details["missing"], ["4 on nodes of their own, of 3"]);
        return true;
      },
    );
    assert.throws(() => place(gang(5, { cpus: 1 }, Strategy.STRICT_PACK), nodes), /5 of them on one node/);
  });

  it("lets a member that comes back to a strict gang only where the strategy has it", () => {
    const member = placed({ cpus: 1 }, { gang: "g", id: "g0" });
    const nodes = [node(1, 4, [], { used: [member] }), node(2, 4)];
    assert.equal(one(gang(2, { cpus: 1 }, Strategy.STRICT_PACK)[1]!, nodes), "n1");
    assert.equal(one(gang(2, { cpus: 1 }, Strategy.STRICT_SPREAD)[1]!, nodes), "n2");
    const crowded = [node(1, 2, [], { used: [member, placed({ cpus: 1 })] }), node(2, 4)];
    assert.equal(one(gang(2, { cpus: 1 }, Strategy.STRICT_PACK)[1]!, crowded), undefined);
  });

  it("is placed whole or not at all, within what nodes have, and wherever all of it fits", () => {
    const amount = fc.integer({ min: 0, max: 6 });
    const strategy = fc.constantFrom(Strategy.SPREAD, Strategy.PACK, Strategy.STRICT_SPREAD, Strategy.STRICT_PACK);
    const nodeSpecs = fc.array(fc.tuple(amount, fc.array(amount, { maxLength: 2 })), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(nodeSpecs, fc.integer({ min: 1, max: 6 }), amount, strategy, (spec, count, need, kind) => {
        const nodes = spec.map(([capacity, used], i) => node(i + 1, capacity, used));
        const left = (n: Candidate) => (n.capacity.cpus ?? 0) - n.used.amount("cpus");
        const fits = (room: number) => (need === 0 ? count : Math.max(0, Math.floor(room / need)));
        const possible = (rooms: number[]) => {
          if (kind === Strategy.STRICT_PACK) return rooms.some((room) => fits(room) >= count);
          const most = kind === Strategy.STRICT_SPREAD ? 1 : count;
          return rooms.reduce((sum, room) => sum + Math.min(most, fits(room)), 0) >= count;
        };
        let seats: ReturnType<typeof place>;
        try {
          seats = place(gang(count, { cpus: need }, kind), nodes);
        } catch {
          assert.ok(!possible(nodes.map((n) => n.capacity.cpus ?? 0)));
          return;
        }
        assert.equal(seats !== undefined, possible(nodes.map(left)));
        if (!seats) return;
        assert.equal(seats.length, count);
        const on = (n: Candidate) => seats.filter((seat) => seat.node === n.id).length;
        for (const n of nodes) assert.ok(need === 0 || on(n) * need <= Math.max(0, left(n)));
        if (kind === Strategy.STRICT_PACK) assert.ok(nodes.some((n) => on(n) === count));
        if (kind === Strategy.STRICT_SPREAD) assert.ok(nodes.every((n) => on(n) <= 1));
      }),
    );
  });
});
