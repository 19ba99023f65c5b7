import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { quantity } from "../quantity.js";
import { verify } from "../verify.js";
import { pH, sampleMl, titrant } from "./chemistry.js";
import { titration } from "./index.js";

const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

test("pH agrees with the textbook's approximations where they hold", () => {
  const [pKa, c] = [4.76, 0.1];
  near(pH(pKa, c, 0), (pKa - Math.log10(c)) / 2, 0.01); // a weak acid alone
  near(pH(pKa, c, 12.5), pKa, 0.01); // Henderson and Hasselbalch, half way
  near(pH(pKa, c, 5), pKa + Math.log10(5 / 20), 0.01);
  near(pH(pKa, c, 25), 7 + (pKa + Math.log10(0.05)) / 2, 0.01); // its salt alone
  near(pH(pKa, c, 50), 14 + Math.log10((titrant * 25) / (sampleMl + 50)), 0.001); // a strong base in excess
});

test("a quantity needs a unit of its dimension", () => {
  const volume = quantity("volume", "mL");
  for (const [text, ml] of [
    ["5 mL", 5],
    ["0.005 L", 5],
    ["2500uL", 2.5],
    ["-1e-3 L", -1],
  ] as const)
    near(volume.parse(text), ml, 1e-12);
  for (const text of ["5", "5 s", "mL", "5 ml", "five mL", "5 constructor", ""])
    assert.match(volume.safeParse(text).error!.issues[0]!.message, /^expected a volume in L, mL, µL, uL, not "/, text);
});

test("the bottle runs out, and a fresh sample starts anew", async () => {
  const env = titration.create();
  const context = noSandbox();
  await env.reset({ seed: 1, acid: "acetic", concentration: 0.1 }, context);
  const step = async (action: string) => (await env.step(action, context)).observation;
  assert.match(await step("titrate 0.025 L"), /^25\.00 mL added, pH (8\.[5-9]|9\.0)/);
  assert.equal(await step("refresh"), "a fresh sample of 25 mL");
  assert.match(await step("titrate 30 mL"), /^30\.00 mL added, pH 1[12]\./);
  assert.equal(await step("titrate 6 mL"), "error: only 5.00 mL of titrant are left");
  assert.equal(await step("titrate -1 mL"), "error: the burette only gives");
  assert.match(await step("titrate 6 s"), /^error: titrate\.volume: expected a volume in L/);
  assert.match(await step("report water 1 mol/L"), /^error: report\.acid: Invalid option/);
});

test("its expert beats random reports by far, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(titration as EnvironmentDef, 20, noSandbox());
  assert.deepEqual([problems, snapshot], [[], true]);
  near(expert!, 0.979, 0.015);
  near(random!, 0.06, 0.03);
});
