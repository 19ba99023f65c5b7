import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { normal, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { marks, wordTokenizer } from "../words.js";
import { runaway, simulate, steady } from "./plant.js";

export interface CstrTask {
  seed: number;
  /** K. */
  from: number;
  to: number;
  /** From this turn on the feed is so much warmer, K, which nobody measures. */
  disturbedAt: number;
  warmer: number;
}

interface CstrState {
  /** mol/L and K. */
  now: number[];
  turn: number;
}

const turns = 25;
const holdMinutes = 0.1;
const [coldest, hottest] = [260, 340]; // K, jacket
const sensorNoise = 0.1; // K
/** A turn this far off earns nothing. */
const worthless = 10; // K

const tokenizer = wordTokenizer(
  ["error:", "jacket"],
  [...marks(-12, 12, 0.5), ...marks(coldest, hottest, 5), ...marks(345, 355, 1)],
);

const { tool } = toolsOf<CstrTask, CstrState>();

const tools = {
  jacket: tool(
    `Hold the jacket at this temperature, in kelvin, for ${holdMinutes} min.`,
    { kelvin: z.number().min(coldest).max(hottest) },
    ({ kelvin }, { task, state }) => {
      state.now = simulate(state.now, kelvin, state.turn >= task.disturbedAt ? task.warmer : 0, holdMinutes);
      state.turn++;
      const temperature = state.now[1]!;
      if (temperature > runaway)
        return { observation: "the reaction runs away: shut down", done: true, info: { solved: 0, runaway: 1 } };
      const off = Math.abs(temperature - task.to);
      const reward = Math.max(0, 1 - off / worthless) / turns;
      const done = state.turn === turns;
      return {
        observation: measured(task, state),
        reward,
        done,
        info: done ? { solved: Number(off < 1), runaway: 0 } : {},
      };
    },
  ),
};

const measured = ({ seed, to }: CstrTask, { now, turn }: CstrState) =>
  `reactor at ${(now[1]! - to + sensorNoise * normal(seededRandom(seed, turn))).toFixed(2)} K from its target`;

/** What {@link measured} told, K. */
const offIn = (told: string) => Number(/at (-?[\d.]+) K from/.exec(told)![1]);

/** PI control around the jacket temperature that holds the target. */
const expert: Script = function* (prompt) {
  const target = Number(/to ([\d.]+) K/.exec(prompt)![1]);
  const { jacket } = steady(target);
  let told = prompt;
  let sum = 0;
  for (;;) {
    const error = -offIn(told);
    const wanted = jacket + 4 * error + 0.4 * (sum + error);
    if (wanted > coldest && wanted < hottest) sum += error; // else it winds up
    told = yield `jacket ${Math.min(hottest, Math.max(coldest, wanted)).toFixed(2)}`;
  }
};

/** Knows the usual jacket and which way it acts; is far too timid, and unsteady. */
const beginner: Script = function* (prompt, dice) {
  let told = prompt;
  for (;;) {
    const wanted = 300 - 0.5 * offIn(told) + 15 * normal(dice);
    told = yield `jacket ${Math.round(Math.min(hottest, Math.max(coldest, wanted)) / 5) * 5}`;
  }
};

const random: Script = function* (_, dice) {
  for (;;) yield `jacket ${(coldest + (hottest - coldest) * dice()).toFixed(2)}`;
};

function draw(dice: Random): CstrTask {
  const between = (low: number, high: number) => low + (high - low) * dice();
  return {
    seed: Math.floor(dice() * 2 ** 32),
    from: between(345, 355),
    to: between(345, 355),
    disturbedAt: Math.floor(between(6, 16)),
    warmer: between(-4, 4),
  };
}

/** Holds an exothermic reactor at an unstable steady state. The reward is at most 1. */
export const cstr = toolEnvironment<CstrTask, CstrState>({
  name: "cstr",
  tokenizer,
  maxTurns: turns + 5, // a few for mistakes
  maxActionTokens: 64,
  start: ({ from }) => ({ now: [steady(from).concentration, from], turn: 0 }),
  prompt: (task, state) =>
    `Bring the reactor to ${task.to.toFixed(2)} K and hold it there for ${turns} turns of ${holdMinutes} min. ` +
    `The jacket goes from ${coldest} to ${hottest} K; over ${runaway} K the reaction is shut down.\n${measured(task, state)}`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
  beginner,
});
