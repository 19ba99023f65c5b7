import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { verify } from "../verify.js";
import { quadrupleTank } from "./index.js";
import { area, derivative, gravity, holdingVolts, outlet, simulate, steadyLevels } from "./plant.js";

const near = (a: number, b: number, tolerance: number, what = "") =>
  assert.ok(Math.abs(a - b) <= tolerance, `${what} ${a} is not within ${tolerance} of ${b}`);

/** The operating point P- of the paper. */
const levels = [12.4, 12.7, 1.8, 1.4];
const volts = [3, 3] as const;

test("it rests within 2 mm of where the paper says, and its time constants are the paper's", () => {
  for (const [i, level] of steadyLevels(volts).entries()) near(level, levels[i]!, 0.2, `tank ${i + 1}`);
  const seconds = levels.map((h, i) => (area[i]! / outlet[i]!) * Math.sqrt((2 * h) / gravity));
  for (const [i, published] of [62, 90, 23, 30].entries()) near(seconds[i]!, published, 1, `T${i + 1}`);
});

test("from anywhere it comes to its steady state, and the voltages that hold levels are those of the steady state", () => {
  const end = simulate([1, 19, 5, 0], volts, [1, 2], 3_000);
  for (const [i, level] of steadyLevels(volts, [1, 2]).entries()) near(end[i]!, level, 1e-6);
  assert.ok(derivative(steadyLevels(volts), volts, [0, 0]).every((rate) => Math.abs(rate) < 1e-12));
  const held = holdingVolts([12.4, 9]);
  const [h1, h2] = steadyLevels(held);
  near(h1!, 12.4, 1e-9);
  near(h2!, 9, 1e-9);
});

test("a tank that only drains does so as Torricelli's law integrates", () => {
  const level = simulate([16, 0, 0, 0], [0, 0], [0, 0], 60)[0]!;
  const root = Math.sqrt(16) - ((outlet[0] * Math.sqrt(gravity / 2)) / area[0]) * 60;
  near(level, root ** 2, 1e-6);
});

test("its expert beats random actions by far, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(quadrupleTank as EnvironmentDef, 50, noSandbox());
  assert.deepEqual([problems, snapshot], [[], true]);
  near(expert!, 0.9, 0.03, "expert");
  near(random!, 0.006, 0.006, "random");
});
