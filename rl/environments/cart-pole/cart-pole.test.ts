import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { verify } from "../verify.js";
import { cartPole } from "./index.js";
import { type CartPole, cartMass, gravity, halfLength, poleMass, simulate } from "./physics.js";

const none = { cart: 0, pole: 0 };
const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);

/** Of a cart and a uniform rod, from the Lagrangian. */
function energy([, v, angle, spin]: CartPole): number {
  const moving = 0.5 * (cartMass + poleMass) * v ** 2 + poleMass * halfLength * v * spin * Math.cos(angle);
  return moving + (2 / 3) * poleMass * halfLength ** 2 * spin ** 2 + poleMass * gravity * halfLength * Math.cos(angle);
}

test("without friction and force, energy and momentum are kept while the pole swings through", () => {
  const from: CartPole = [0, 0.3, 0.2, -0.4];
  const momentum = ([, v, angle, spin]: CartPole) =>
    (cartMass + poleMass) * v + poleMass * halfLength * spin * Math.cos(angle);
  for (const seconds of [0.5, 1, 2, 4]) {
    const to = simulate(from, 0, seconds, none);
    near(energy(to), energy(from), 1e-5);
    near(momentum(to), momentum(from), 1e-6);
  }
});

test("a pole that is left alone falls at the rate of the linearised equations", () => {
  const rate = Math.sqrt(gravity / (halfLength * (4 / 3 - poleMass / (cartMass + poleMass))));
  near(simulate([0, 0, 1e-6, 0], 0, 1, none)[2] / (1e-6 * Math.cosh(rate)), 1, 1e-4);
});

test("its expert beats random pushes by far, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(cartPole as EnvironmentDef, 50, noSandbox());
  assert.deepEqual([problems, snapshot], [[], true]);
  near(expert!, 1, 1e-9);
  near(random!, 0.052, 0.02);
});
