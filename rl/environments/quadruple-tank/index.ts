import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { normal, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { holdingVolts, maxVolts, type Pair, simulate, steadyLevels, tankHeight } from "./plant.js";

export interface TankTask {
  seed: number;
  /** Levels of the lower tanks to begin with and to bring about, cm. */
  from: Pair;
  to: Pair;
  /** From this turn on, water runs into the upper tanks that nobody measures, cm³/s. */
  disturbedAt: number;
  disturbance: Pair;
}

interface TankState {
  levels: number[];
  turn: number;
}

const turns = 20;
const holdSeconds = 20;
const sensorNoise = 0.05; // cm, standard deviation
/** A turn this far off, on average of both tanks, earns nothing. */
const worthless = 3; // cm

const { tool } = toolsOf<TankTask, TankState>();
const volts = z.number().min(0).max(maxVolts);

const tools = {
  pumps: tool(
    `Run the pumps at these voltages for ${holdSeconds} s.`,
    { v1: volts, v2: volts },
    (input, { task, state }) => {
      const disturbance = state.turn >= task.disturbedAt ? task.disturbance : ([0, 0] as const);
      state.levels = simulate(state.levels, [input.v1, input.v2], disturbance, holdSeconds);
      state.turn++;
      if (state.levels.some((level) => level > tankHeight))
        return { observation: "a tank overflows: shut down", done: true, info: { solved: 0, overflow: 1 } };
      const off = (Math.abs(state.levels[0]! - task.to[0]) + Math.abs(state.levels[1]! - task.to[1])) / 2;

      const reward = Math.max(0, 1 - off / worthless) / turns;
      const done = state.turn === turns;
      return {
        observation: measured(task, state),
        reward,
        done,
        info: done ? { solved: Number(off < 0.5), overflow: 0 } : {},
      };
    },
  ),
};

/** The lower tanks alone have sensors. */
function measured(task: TankTask, { levels, turn }: TankState): string {
  const dice = seededRandom(task.seed, turn);
  const read = (level: number) => (level + sensorNoise * normal(dice)).toFixed(2);
  return `h1 ${read(levels[0]!)} cm h2 ${read(levels[1]!)} cm`;
}

/** PI control of each level by the pump that feeds it most, around the voltages that hold the target. */
const expert: Script = function* (prompt) {
  const target = numbers(prompt.split("\n")[0]!);
  let level = numbers(prompt.split("\n")[1]!);
  const hold = holdingVolts([target[0]!, target[1]!]);
  const sum = [0, 0];
  for (;;) {
    const set = hold.map((v, i) => {
      const error = target[i]! - level[i]!;
      const wanted = v + 0.8 * error + 0.1 * (sum[i]! + error);
      if (wanted > 0 && wanted < maxVolts) sum[i]! += error; // else it winds up
      return Math.min(maxVolts, Math.max(0, wanted)).toFixed(2);
    });
    level = numbers(yield `pumps ${set.join(" ")}`);
  }
};

const numbers = (text: string) => [...text.matchAll(/(-?[\d.]+) cm/g)].map(([, n]) => Number(n));

const random: Script = function* (_, dice) {
  for (;;) yield `pumps ${(dice() * maxVolts).toFixed(2)} ${(dice() * maxVolts).toFixed(2)}`;
};

function draw(dice: Random): TankTask {
  const between = (low: number, high: number) => low + (high - low) * dice();
  return {
    seed: Math.floor(dice() * 2 ** 32),
    from: [between(8, 14), between(8, 14)],
    to: [between(8, 14), between(8, 14)],
    disturbedAt: Math.floor(between(6, 14)),
    disturbance: [between(0, 3), between(0, 3)],
  };
}

/** Brings two coupled tanks to their levels and keeps them there while water leaks in from elsewhere. The reward is at most 1. */
export const quadrupleTank = toolEnvironment<TankTask, TankState>({
  name: "quadruple-tank",
  maxTurns: turns + 5, // a few for mistakes
  maxActionTokens: 96,
  start: ({ from }) => ({ levels: steadyLevels(holdingVolts(from)), turn: 0 }),
  prompt: (task, state) =>
    `Bring tank 1 to ${task.to[0].toFixed(2)} cm and tank 2 to ${task.to[1].toFixed(2)} cm, and hold them. ` +
    `Pumps take 0 to ${maxVolts} V, for ${holdSeconds} s a turn, ${turns} turns; over ${tankHeight} cm a tank overflows.\n${measured(task, state)}`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
});
