import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { verify } from "../verify.js";
import { hopper } from "./index.js";
import { hop, makeHopper } from "./plant.js";

const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

test("with the leg straight down it hops on the spot, and without thrust lower each time", async () => {
  let { hopper: machine, apex } = await hop(await makeHopper(0.65, 0), 0, 0);
  let before = 0.65;
  for (let i = 0; i < 3; i++) {
    near(apex.speed, 0, 0.02);
    assert.ok(apex.height < before, `${apex.height} after ${before}`);
    before = apex.height;
    ({ hopper: machine, apex } = await hop(machine, 0, 0));
  }
});

test("a leg that is placed further forward slows it down, and one further back makes it faster or fall", async () => {
  const machine = await makeHopper(0.65, 0.6);
  const speeds = [];
  for (const angle of [0, 0.1, 0.2]) speeds.push((await hop(machine, angle, 0.05)).apex.speed);
  assert.ok(speeds[0]! > 0.6 && speeds[2]! < 0.6 && speeds[1]! < speeds[0]!, String(speeds));
});

test("from a snapshot it goes on bit for bit, each time", async () => {
  const { hopper: machine } = await hop(await makeHopper(0.65, 0.4), 0.1, 0.05);
  const on = async () => (await hop((await hop(machine, 0.12, 0.06)).hopper, 0.05, 0.04)).hopper.world;
  assert.equal(await on(), await on());
});

test("its expert beats random hops by far, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(hopper as EnvironmentDef, 8, noSandbox());
  assert.deepEqual([problems, snapshot], [[], true]);
  near(expert!, 0.92, 0.03);
  near(random!, 0.05, 0.05);
});
