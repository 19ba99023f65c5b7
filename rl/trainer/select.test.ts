import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "../trajectories/trajectory.js";
import { Group } from "./groups.js";
import { type SelectionRules, select } from "./select.js";

const rules: SelectionRules = { wanted: 2, ordered: false, spare: 0, dynamic: null };
const dynamic = { type: "filter", maxBatches: 3, minReplaceRatio: 0.5 } as const;

/** Groups of two samples by their rewards; null: the sample is under way; a text: it failed for that reason. */
const groups = (...rewards_GS: (number | string | null)[][]) =>
  rewards_GS.map((rewards_S, g) => {
    const group = new Group(0, g, rewards_S.length);
    for (const [sample, reward] of rewards_S.entries()) {
      const trajectory = { sample, reward, attempt: 0 } as Trajectory;
      if (typeof reward === "string") group.fail(sample, reward);
      else if (reward !== null) group.place({ trajectory, bytes: new Uint8Array(), oldest: 0 });
    }
    return group;
  });
const numbersOf = (found: readonly Group[]) => found.map(({ group }) => group);

/** Numbers of the groups that are trained on, dropped and cut; or what else is to be done. */
function selected(found: ReturnType<typeof select>) {
  if (found === null || "refill" in found) return found;
  return [numbersOf(found.trained), numbersOf(found.dropped.map(({ group }) => group)), numbersOf(found.cut)];
}

test("without order a step takes what is complete, the longest asked for first, and waits for nobody else", () => {
  const found = select(groups([0, null], [0, 1], [1, 1], [0, 0]), rules);
  assert.deepEqual(selected(found), [[1, 2], [], []]); // 0 and 3 are left to the next step
  assert.equal(select(groups([0, null], [0, 1]), rules), null);
  assert.deepEqual(selected(select(groups(["lost", "lost"], [0, 1], [1, 1]), rules)), [[1, 2], [0], []]);
});

test("in order a step waits for all its groups, whoever was quick", () => {
  assert.equal(select(groups([0, 1], [0, 1], [0, null]), { ...rules, ordered: true }), null);
  assert.deepEqual(selected(select(groups([0, 1], ["lost", 1]), { ...rules, ordered: true })), [[0, 1], [], []]);
});

test("of spare groups the slowest are cut, and what was complete but not needed is dropped", () => {
  const spare = { ...rules, ordered: true, spare: 2 };
  assert.deepEqual(selected(select(groups([0, null], [0, 1], [1, 1], [0, 0]), spare)), [[1, 2], [3], [0]]);
  assert.equal(select(groups([0, null], [0, 1], ["lost", "lost"], [null, 0]), spare), null);
  assert.deepEqual(selected(select(groups([0, null], [0, 1], [1, 1], [0, 1]), { ...spare, dynamic })), [
    [1, 3],
    [2],
    [0],
  ]);
});

test("groups that teach nothing are made up for only when those under way cannot", () => {
  const filter = { ...rules, dynamic };
  assert.equal(select(groups([0, 0], [0, 1], [null, null]), filter), null);
  assert.deepEqual(select(groups([0, 0], [0, 1], [1, 1]), filter), { refill: 1 });
  assert.deepEqual(select(groups([0, 0], [0, 0], [null, 1]), filter), { refill: 1 });
  assert.deepEqual(selected(select(groups([0, 0], [0, 1], [0, 1], [1, 0]), filter)), [[1, 2], [0], []]);
});
