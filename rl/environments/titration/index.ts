import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { quantity } from "../quantity.js";
import { normal, pick, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { ToolError, toolsOf } from "../tools.js";
import { acids, pH, sampleMl, titrant } from "./chemistry.js";

export interface TitrationTask {
  seed: number;
  acid: string;
  /** mol/L. */
  concentration: number;
}

interface TitrationState {
  /** In the beaker, mL of titrant. */
  added: number;
  /** Left in the bottle, mL. */
  titrant: number;
  readings: number;
}

const bottleMl = 60;
const meterNoise = 0.05; // pH, standard deviation
const names = Object.keys(acids);
/** A relative error in the concentration from which on it earns nothing. */
const worthless = 0.1;

const { tool } = toolsOf<TitrationTask, TitrationState>();

const tools = {
  report: tool(
    "Say what the acid is, and end.",
    { acid: z.enum(names), concentration: quantity("concentration", "mol/L") },
    ({ acid, concentration }, { task }) => {
      const error = Math.abs(concentration / task.concentration - 1);
      const named = Number(acid === task.acid);
      const reward = named * (0.5 + 0.5 * Math.max(0, 1 - error / worthless));
      return {
        observation: "",
        reward,
        done: true,
        info: { solved: Number(reward > 0.9), named, error: Math.min(error, 1) },
      };
    },
  ),
  titrate: tool(
    "Run titrant from the burette into the beaker, then read the pH meter.",
    { volume: quantity("volume", "mL") },
    ({ volume }, { task, state }) => {
      if (volume < 0) throw new ToolError("the burette only gives");
      if (volume > state.titrant + 1e-9) throw new ToolError(`only ${state.titrant.toFixed(2)} mL of titrant are left`);
      state.titrant -= volume;
      state.added += volume;
      state.readings++;
      const noise = meterNoise * normal(seededRandom(task.seed, state.readings));
      return `${state.added.toFixed(2)} mL added, pH ${(pH(acids[task.acid]!, task.concentration, state.added) + noise).toFixed(2)}`;
    },
  ),
  refresh: tool("Empty the beaker and take a fresh sample of the acid.", {}, (_, { state }) => {
    state.added = 0;
    return `a fresh sample of ${sampleMl} mL`;
  }),
};

/** Titrates past any end point in equal steps, and takes the acid and concentration that explain the readings best. */
const expert: Script = function* () {
  const readings: [added: number, pH: number][] = [];
  for (let i = 0; i < 8; i++) {
    const [added, value] = (yield "titrate 7 mL").match(/[\d.]+/g)!.map(Number) as [number, number];
    readings.push([added, value]);
  }
  let best = { off: Number.POSITIVE_INFINITY, acid: "", concentration: 0 };
  for (const acid of names) {
    for (let concentration = 0.04; concentration <= 0.2; concentration += 0.001) {
      // Near the end point a drop moves the pH by units: a reading that is far off says little more than one a bit off.
      const off = readings.reduce(
        (sum, [v, value]) => sum + Math.min(1, Math.abs(pH(acids[acid]!, concentration, v) - value)),
        0,
      );
      if (off < best.off) best = { off, acid, concentration };
    }
  }
  yield `report ${best.acid} ${best.concentration.toFixed(4)} mol/L`;
};

/** Titrates a little, and reports anything. */
const random: Script = function* (_, dice) {
  for (let i = 0; i < 5; i++) yield `titrate ${(10 * dice()).toFixed(2)} mL`;
  yield `report ${pick(names, dice)} ${(0.05 + 0.13 * dice()).toFixed(3)} mol/L`;
};

function draw(dice: Random): TitrationTask {
  const [seed, acid, concentration] = [Math.floor(dice() * 2 ** 32), pick(names, dice), 0.05 + 0.13 * dice()];
  return { seed, acid, concentration };
}

/** Identification of an unknown acid by titration with a noisy meter and a bottle that runs out. The reward is at most 1. */
export const titration = toolEnvironment<TitrationTask, TitrationState>({
  name: "titration",
  maxTurns: 30,
  maxActionTokens: 128,
  start: () => ({ added: 0, titrant: bottleMl, readings: 0 }),
  prompt: () =>
    `The beaker holds ${sampleMl} mL of a weak acid of unknown concentration, 0.05 to 0.18 mol/L, at 25 °C: one of ${names.join(", ")}. ` +
    `The burette gives sodium hydroxide, ${titrant} mol/L, of which there are ${bottleMl} mL. Find out which acid it is, and its concentration.`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
});
