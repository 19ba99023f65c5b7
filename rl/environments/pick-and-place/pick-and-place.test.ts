import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox, play } from "../play.js";
import { seededRandom } from "../random.js";
import { verify } from "../verify.js";
import { type PickTask, pickAndPlace } from "./index.js";
import { act, makeCell, side } from "./plant.js";

const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

test("a block that is let go falls as Galileo says, and comes to rest on the table", async () => {
  const start = await makeCell(-0.5);
  let { cell, seen } = await act(start, [-0.5, side], false);
  for (const [to, vacuum] of [
    [[-0.5, side], true],
    [[-0.5, 0.6], true],
    [[-0.5, 0.6], true],
  ] as const)
    ({ cell, seen } = await act(cell, to, vacuum));
  assert.equal(seen.holding, true);
  near(seen.block[1], 0.6 - side / 2, 0.02);
  ({ cell, seen } = await act(cell, null, false)); // sqrt(2 * 0.5 m / g) = 0.32 s
  assert.deepEqual([seen.holding, seen.resting], [false, true]);
  near(seen.block[1], side / 2, 0.005);
});

test("from a snapshot it goes on bit for bit, each time", async () => {
  const { cell } = await act(await makeCell(-0.3), [-0.2, 0.03], true); // against the block
  const on = async () => (await act((await act(cell, [0.1, 0.05], true)).cell, [0.3, 0.3], false)).cell.world;
  assert.equal(await on(), await on());
});

test("the wall stops what is not lifted over it", async () => {
  let { cell, seen } = await act(await makeCell(-0.2), [-0.4, 0.02], false);
  for (let i = 0; i < 4; i++) ({ cell, seen } = await act(cell, [0.5, 0.02], false));
  assert.ok(seen.block[0] < 0 && seen.hand[0] < 0, JSON.stringify(seen));
});

test("its milestones lead up to the end, and never count before those that come first", async () => {
  const task = pickAndPlace.heldOutTasks()[0] as PickTask;
  const { steps } = await play(pickAndPlace, task, pickAndPlace.expert!, seededRandom(1), noSandbox());
  const potentials = steps.map(({ potential }) => potential!);
  assert.deepEqual(potentials, [...potentials].sort());
  assert.equal(potentials.at(-1), 1);
});

test("its expert places every block, chance none, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(pickAndPlace as EnvironmentDef, 10, noSandbox());
  assert.deepEqual([problems, snapshot, expert, random], [[], true, 1, 0]);
});
