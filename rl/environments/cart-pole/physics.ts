import { rk4 } from "../rk4.js";

/**
 * The cart and pole of A. G. Barto, R. S. Sutton and C. W. Anderson, "Neuronlike Adaptive Elements That Can Solve Difficult
 * Learning Control Problems", IEEE Transactions on Systems, Man, and Cybernetics 13(5), 1983, with its constants.
 */
export const gravity = 9.8; // m/s²
export const cartMass = 1; // kg
export const poleMass = 0.1; // kg
export const halfLength = 0.5; // m
export const maxForce = 10; // N
export const track = 2.4; // m to either side
export const maxAngle = (12 * Math.PI) / 180;
export const friction = { cart: 0.0005, pole: 0.000002 };

/** Position (m), velocity, angle from upright (rad), angular velocity. */
export type CartPole = readonly [x: number, v: number, angle: number, spin: number];

const total = cartMass + poleMass;

/** @param force on the cart, N */
export function derivative([, v, angle, spin]: CartPole, force: number, mu = friction): number[] {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const rub = mu.cart * Math.sign(v);
  const pull = (-force - poleMass * halfLength * spin ** 2 * sin + rub) / total;
  const turning = gravity * sin + cos * pull - (mu.pole * spin) / (poleMass * halfLength);
  const angular = turning / (halfLength * (4 / 3 - (poleMass * cos ** 2) / total));
  const linear = (force + poleMass * halfLength * (spin ** 2 * sin - angular * cos) - rub) / total;
  return [v, linear, spin, angular];
}

/** The state after `seconds` under one force, in steps of 0.02 s. */
export function simulate(from: CartPole, force: number, seconds: number, mu = friction): CartPole {
  const dt = 0.02;
  let state = from;
  for (let i = Math.round(seconds / dt); i > 0; i--) {
    state = rk4((x) => derivative(x as never, force, mu), state, dt) as never;
  }
  return state;
}

export const fallen = ([x, , angle]: CartPole) => Math.abs(x) > track || Math.abs(angle) > maxAngle;
