import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { normal, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { marks, wordTokenizer } from "../words.js";
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

const fine = marks(-0.2, 0.2, 0.02); // angles; speeds and places further out are coarse
const coarse = marks(-2.4, 2.4, 0.2).filter((mark) => Math.abs(Number(mark)) > 0.2);
const forceStep = 2.5; // N
const forces = marks(-maxForce, maxForce, forceStep).filter((mark) => Number(mark) !== 0);
const tokenizer = wordTokenizer(["error:", "push"], [...fine, ...coarse, ...forces]);

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

const stateIn = (told: string) => told.match(/-?\d+\.\d{4}/g)!.map(Number) as unknown as CartPole;

/** Linear state feedback. */
const expert: Script = function* (prompt) {
  let told = prompt;
  for (;;) {
    const [x, v, angle, spin] = stateIn(told);
    const force = x + 2 * v + 30 * angle + 6 * spin;
    told = yield `push ${Math.min(maxForce, Math.max(-maxForce, force)).toFixed(2)}`;
  }
};

/** Knows which way to push a pole that falls, not how hard; leaves the cart to itself. */
const beginner: Script = function* (prompt, dice) {
  let told = prompt;
  for (;;) {
    const [, , angle, spin] = stateIn(told);
    const steps = Math.round((9 * angle + 2 * spin + 5 * normal(dice)) / forceStep);
    const force = Math.min(maxForce, Math.max(-maxForce, steps * forceStep));
    told = yield `push ${force === 0 ? "0.00" : force.toFixed(1)}`;
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
  tokenizer,
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
  beginner,
});
