import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { quantity } from "../quantity.js";
import { normal, pick, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { ToolError, toolsOf } from "../tools.js";
import { expert } from "./expert.js";
import { halving, left, type Order, rateAt, reference } from "./rates.js";

export interface KineticsTask {
  seed: number;
  order: Order;
  /** At 300 K, (mol/L)^(1 - order) / s. */
  k: number;
  /** J/mol. */
  activation: number;
}

interface KineticsState {
  /** Left of the reactor's time, s. */
  seconds: number;
  runs: number;
}

const hours = 8;
const mostRuns = 6;
const mostSamples = 8;
const [coldest, hottest] = [280, 360]; // K
const [thinnest, thickest] = [0.01, 2]; // mol/L
/** Standard deviation of a reading: relative, and mol/L. */
const noise = { share: 0.01, floor: 0.002 };
/** Errors from which on a rate constant (of its logarithm) and an activation energy (J/mol) earn nothing. */
const worthless = { k: 0.2, activation: 10_000 };

const { tool } = toolsOf<KineticsTask, KineticsState>();

const tools = {
  run: tool(
    "Run the reaction and take samples, each of which tells how much of A is left.",
    {
      temperature: quantity("temperature", "K"),
      concentration: quantity("concentration", "mol/L").describe("of A at the start, such as 0.5M"),
      times: z.string().describe(`up to ${mostSamples}, such as 30s,2min,1h`),
    },
    ({ temperature, concentration, times: text }, { task, state }) => {
      between("temperature", temperature, coldest, hottest, "K");
      between("concentration", concentration, thinnest, thickest, "mol/L");
      const times = readTimes(text);
      const longest = Math.max(...times);
      if (state.runs === mostRuns) throw new ToolError(`all ${mostRuns} runs are used up`);
      if (longest > state.seconds)
        throw new ToolError(`only ${state.seconds.toFixed(0)} s of the reactor's time are left`);
      state.seconds -= longest;
      state.runs++;
      const dice = seededRandom(task.seed, state.runs);
      const k = rateAt(task.k, task.activation, temperature);
      const samples = times.map((seconds) => {
        const there = left(task.order, k, concentration, seconds);
        const read = there * (1 + noise.share * normal(dice)) + noise.floor * normal(dice);
        return `${seconds} s: ${read.toFixed(4)} mol/L`;
      });
      return samples.join("\n");
    },
  ),
  report: tool(
    "Say the order, the rate constant and the activation energy, and end.",
    {
      order: z.int().min(0).max(2),
      k: z.number().positive().describe(`at ${reference} K, in (mol/L)^(1 - order) / s`),
      activation: quantity("molar energy", "kJ/mol"),
    },
    ({ order, k, activation }, { task }) => {
      const named = Number(order === task.order);
      const off = { k: Math.abs(Math.log(k / task.k)), activation: Math.abs(activation * 1000 - task.activation) };
      const worth = (key: keyof typeof off) => Math.max(0, 1 - off[key] / worthless[key]);
      const reward = named * (0.2 + 0.4 * worth("k") + 0.4 * worth("activation"));
      return { observation: "", reward, done: true, info: { solved: Number(reward > 0.8), named } };
    },
  ),
};

function between(what: string, value: number, low: number, high: number, unit: string): void {
  if (value < low || value > high) throw new ToolError(`the ${what} goes from ${low} to ${high} ${unit}`);
}

function readTimes(text: string): number[] {
  const parsed = text.split(",").map((each) => quantity("time", "s").safeParse(each));
  const wrong = parsed.find(({ success }) => !success);
  if (wrong) throw new ToolError(`run.times: ${wrong.error!.issues[0]!.message}`);
  const times = parsed.map(({ data }) => data as number);
  if (times.length > mostSamples) throw new ToolError(`a run takes ${mostSamples} samples at most`);
  if (times.some((seconds) => seconds < 0)) throw new ToolError("a sample is taken after the start");
  return times;
}

/** A run, and any report. */
const random: Script = function* (_, dice) {
  yield `run ${Math.round(280 + 80 * dice())}K 1M 10min`;
  const order = pick([0, 1, 2] as const, dice);
  yield `report ${order} ${drawConstant(order, dice).toExponential(3)} ${(40 + 60 * dice()).toFixed(1)}kJ/mol`;
};

/** Of 1 mol/L half is left after 5 to 60 min at 300 K. */
const drawConstant = (order: Order, dice: Random) => halving(order, 1, 300 * 12 ** dice());

function draw(dice: Random): KineticsTask {
  const [seed, order] = [Math.floor(dice() * 2 ** 32), pick([0, 1, 2] as const, dice)];
  return { seed, order, k: drawConstant(order, dice), activation: 1000 * (40 + 60 * dice()) };
}

/** The rate law of an unknown reaction is found by experiments with a budget and noisy readings. The reward is at most 1. */
export const kinetics = toolEnvironment<KineticsTask, KineticsState>({
  name: "kinetics",
  maxTurns: 10,
  maxActionTokens: 128,
  start: () => ({ seconds: hours * 3600, runs: 0 }),
  prompt: () =>
    `A reacts away at the rate k [A]^n, with n 0, 1 or 2, and k by Arrhenius. There are ${mostRuns} runs and ${hours} h of the ` +
    `reactor's time, ${coldest} to ${hottest} K, ${thinnest} to ${thickest} mol/L. Find n, k at ${reference} K and the activation ` +
    "energy, which is 40 to 100 kJ/mol.",
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
});
