import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { type CartPole, fallen, maxForce, simulate } from "./physics.js";

export interface CartPoleTask {
  from: CartPole;
}

interface CartPoleState {
  now: CartPole;
  turn: number;
}

const turns = 50;
const holdSeconds = 0.1;

const { tool } = toolsOf<CartPoleTask, CartPoleState>();

const tools = {
  push: tool(
    `Push the cart for ${holdSeconds} s; to the right is positive. In newtons.`,
    { force: z.number().min(-maxForce).max(maxForce) },
    ({ force }, { state }) => {
      state.now = simulate(state.now, force, holdSeconds);
      state.turn++;
      if (fallen(state.now)) return { observation: "it fell", done: true, info: { solved: 0, held: state.turn - 1 } };
      const done = state.turn === turns;
      return { observation: shown(state.now), reward: 1 / turns, done, info: done ? { solved: 1, held: turns } : {} };
    },
  ),
};

const shown = (now: CartPole) => `x v angle spin: ${now.map((value) => value.toFixed(4)).join(" ")}`;

/** Linear state feedback. */
const expert: Script = function* (prompt) {
  let told = prompt;
  for (;;) {
    const [x, v, angle, spin] = told.match(/-?\d+\.\d{4}/g)!.map(Number) as unknown as CartPole;
    const force = x + 2 * v + 30 * angle + 6 * spin;
    told = yield `push ${Math.min(maxForce, Math.max(-maxForce, force)).toFixed(2)}`;
  }
};

const random: Script = function* (_, dice) {
  for (;;) yield `push ${((2 * dice() - 1) * maxForce).toFixed(2)}`;
};

function draw(dice: Random): CartPoleTask {
  const within = (most: number) => most * (2 * dice() - 1);
  return { from: [within(1), within(0.3), within(0.1), within(0.3)] };
}

/** Keeps a pole on a cart upright for five seconds: the share of that time is the reward. */
export const cartPole = toolEnvironment<CartPoleTask, CartPoleState>({
  name: "cart-pole",
  maxTurns: turns + 5, // a few for mistakes
  maxActionTokens: 64,
  start: ({ from }) => ({ now: from, turn: 0 }),
  prompt: (_, { now }) =>
    `Keep the pole within 12 degrees of upright and the cart within 2.4 m of the middle for ${turns} pushes.\n${shown(now)}`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
});
