import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { type Apex, type Hopper, hop, makeHopper, maxAngle, maxThrust } from "./plant.js";

export interface HopperTask {
  /** At the first apex: m, m/s. */
  height: number;
  speed: number;
  /** To be reached and kept, m/s. */
  target: number;
}

interface HopperState {
  hopper: Hopper;
  apex: Apex;
  turn: number;
}

const hops = 12;
/** A hop this far off earns nothing, m/s. */
const worthless = 0.5;

const { tool } = toolsOf<HopperTask, HopperState>();

const tools = {
  hop: tool(
    "Hop once: place the leg at this angle (rad, forward is positive), and lengthen it in stance by this thrust (m).",
    { angle: z.number().min(-maxAngle).max(maxAngle), thrust: z.number().min(0).max(maxThrust) },
    async ({ angle, thrust }, { task, state }) => {
      Object.assign(state, await hop(state.hopper, angle, thrust));
      state.turn++;
      if (state.apex.fallen) return { observation: "it fell", done: true, info: { solved: 0, fallen: 1 } };
      const off = Math.abs(state.apex.speed - task.target);
      const reward = Math.max(0, 1 - off / worthless) / hops;
      const done = state.turn === hops;
      return { observation: shown(state), reward, done, info: done ? { solved: Number(off < 0.1), fallen: 0 } : {} };
    },
  ),
};

const shown = ({ apex: { height, speed, seconds } }: HopperState) =>
  `height ${height.toFixed(3)} m speed ${speed.toFixed(3)} m/s after ${seconds.toFixed(2)} s`;

/** Raibert's foot placement: half of what the body travels in stance, and more where it is to slow down. */
const expert: Script = function* (prompt) {
  const target = Number(/at ([\d.]+) m\/s/.exec(prompt)![1]);
  let told = prompt;
  for (;;) {
    const [, height, speed] = /height ([\d.]+) m speed (-?[\d.]+)/.exec(told)!.map(Number) as [number, number, number];
    const forward = 0.08 * speed + 0.06 * (speed - target);
    const angle = Math.asin(Math.max(-0.4, Math.min(0.4, forward / 0.5)));
    const thrust = Math.max(0, Math.min(maxThrust, 0.05 + 0.3 * (0.65 - height)));
    told = yield `hop ${angle.toFixed(3)} ${thrust.toFixed(3)}`;
  }
};

const random: Script = function* (_, dice) {
  for (;;) yield `hop ${((2 * dice() - 1) * maxAngle).toFixed(3)} ${(maxThrust * dice()).toFixed(3)}`;
};

function draw(dice: Random): HopperTask {
  const between = (low: number, high: number) => low + (high - low) * dice();
  return { height: between(0.6, 0.7), speed: between(-0.3, 0.5), target: between(0.3, 1.2) };
}

/** A one-legged machine hops at a speed, an action a hop. The reward is at most 1. */
export const hopper = toolEnvironment<HopperTask, HopperState>({
  name: "hopper",
  maxTurns: hops + 3, // a few for mistakes
  maxActionTokens: 64,
  async start({ height, speed }) {
    return { hopper: await makeHopper(height, speed), apex: { height, speed, seconds: 0, fallen: false }, turn: 0 };
  },
  prompt: ({ target }, state) =>
    `A machine with one springy leg is to hop forward at ${target.toFixed(2)} m/s for ${hops} hops, and not to fall.\n${shown(state)}`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
});
