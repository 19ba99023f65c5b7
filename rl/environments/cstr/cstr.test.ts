import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { verify } from "../verify.js";
import { cstr } from "./index.js";
import { derivative, simulate, steady } from "./plant.js";

const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

test("the published middle steady state is one, and unstable to either side", () => {
  const { concentration, jacket } = steady(350);
  near(concentration, 0.5, 1e-3);
  near(jacket, 300, 0.05);
  assert.ok(derivative([concentration, 350], jacket).every((slope) => Math.abs(slope) < 1e-9));
  assert.ok(simulate([concentration, 351], jacket, 0, 1)[1]! > 355);
  assert.ok(simulate([concentration, 349], jacket, 0, 1)[1]! < 345);
});

test("at first a small error grows at the rate of the unstable eigenvalue", () => {
  const { concentration, jacket } = steady(350);
  const at = (dc: number, dt: number) => derivative([concentration + dc, 350 + dt], jacket);
  const [a, c] = at(1e-6, 0).map((slope) => slope / 1e-6) as [number, number];
  const [b, d] = at(0, 1e-4).map((slope) => slope / 1e-4) as [number, number];
  const eigenvalue = (a + d) / 2 + Math.sqrt(((a - d) / 2) ** 2 + b * c);
  const state = simulate([concentration + (1e-5 * b) / (eigenvalue - a), 350 + 1e-5], jacket, 0, 1);
  near(Math.log((state[1]! - 350) / 1e-5), eigenvalue, 0.01);
});

test("a runaway ends in the same figures whatever the jacket, none of them NaN", () => {
  for (const jacket of [260, 300, 340]) {
    const [c, t] = simulate([steady(355).concentration, 399], jacket, 4, 1) as [number, number];
    assert.ok(c >= 0 && c <= 1 && t > 400 && t < 480, `${c} mol/L, ${t} K`);
  }
});

test("its expert beats random jackets by far, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(cstr as EnvironmentDef, 50, noSandbox());
  assert.deepEqual([problems, snapshot], [[], true]);
  near(expert!, 0.95, 0.015);
  near(random!, 0.072, 0.03);
});
