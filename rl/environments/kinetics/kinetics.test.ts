import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { rk4 } from "../rk4.js";
import { verify } from "../verify.js";
import { kinetics } from "./index.js";
import { halving, left, rateAt } from "./rates.js";

const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

test("the integrated rate laws are what the rate equations integrate to, and a half-life halves", () => {
  for (const order of [0, 1, 2] as const) {
    const [k, start] = [1e-3, 0.8];
    let there = [start];
    for (let i = 0; i < 600; i++) there = rk4(([c]) => [-k * c! ** order], there, 1);
    near(left(order, k, start, 600), there[0]!, 1e-9);
    near(left(order, halving(order, start, 250), start, 250), start / 2, 1e-12);
  }
  assert.equal(left(0, 1e-3, 0.8, 10_000), 0);
});

test("ten degrees more about double a rate of 53 kJ/mol, and at 300 K it is what it is", () => {
  near(rateAt(1, 53_000, 310), 2, 0.02);
  assert.equal(rateAt(0.3, 80_000, 300), 0.3);
});

test("runs, samples and the reactor's time are limited, and quantities need their units", async () => {
  const env = kinetics.create();
  const context = noSandbox();
  await env.reset({ seed: 1, order: 1, k: 1e-3, activation: 50_000 }, context);
  const step = async (action: string) => (await env.step(action, context)).observation;
  assert.match(await step("run 300K 1M 0s,1000s"), /^0 s: (0\.9|1\.0)\d+ mol\/L\n1000 s: 0\.3[4-9]\d* mol\/L$/);
  assert.match(await step("run 20 1M 1h"), /^error: run\.temperature: expected a temperature in K/);
  assert.equal(await step("run 400K 1M 1h"), "error: the temperature goes from 280 to 360 K");
  assert.match(await step("run 300K 1M 1h,2"), /^error: run\.times: expected a time in s, ms, min, h, not "2"/);
  assert.equal(await step("run 300K 1M 9h"), "error: only 27800 s of the reactor's time are left");
  assert.equal(await step("run 300K 1M 1s,1s,1s,1s,1s,1s,1s,1s,1s"), "error: a run takes 8 samples at most");
});

test("its expert beats random reports by far, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(kinetics as EnvironmentDef, 50, noSandbox());
  assert.deepEqual([problems, snapshot], [[], true]);
  near(expert!, 0.977, 0.015);
  near(random!, 0.1, 0.05);
});
