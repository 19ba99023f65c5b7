import { z } from "zod";
import { potentialOf, type Stage } from "../../algorithms/shaping.js";
import type { Random, Script } from "../environment.js";
import { seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { type ToolResult, toolsOf } from "../tools.js";
import { act, type Cell, makeCell, reach, type Seen, side, wall } from "./plant.js";

export interface PickTask {
  /** Of the block at first, left of the wall, and of where it is to lie, right of it; m. */
  from: number;
  to: number;
}

interface PickState {
  cell: Cell;
  seen: Seen;
  vacuum: boolean;
}

/** The block lies where it should, this near, m. */
const near = 0.05;

/** A way to solve it; see `trainer.algorithm.milestone_shaping`. */
const stages: readonly Stage[] = [
  { milestones: ["above"], weight: 1 },
  { milestones: ["held"], weight: 1 },
  { milestones: ["lifted"], weight: 1 },
  { milestones: ["across"], weight: 1 },
  { milestones: ["over"], weight: 1 },
];

function reached({ to }: PickTask, { hand, block, holding }: Seen): Set<string> {
  const found = new Set<string>();
  if (Math.abs(hand[0] - block[0]) < side / 2) found.add("above");
  if (holding) found.add("held");
  if (holding && block[1] > wall.height + side / 2) found.add("lifted");
  if (block[0] > wall.width) found.add("above").add("held").add("lifted").add("across");
  if (Math.abs(block[0] - to) < near) found.add("over");
  return found;
}

async function turn(
  state: PickState,
  task: PickTask,
  to: [number, number] | null,
  vacuum: boolean,
): Promise<ToolResult> {
  Object.assign(state, { vacuum, ...(await act(state.cell, to, vacuum)) });
  const placed = Number(state.seen.resting && Math.abs(state.seen.block[0] - task.to) < near);
  const potential = potentialOf(stages, reached(task, state.seen));
  const info = placed ? { solved: 1 } : {};
  return { observation: shown(state), reward: placed, potential, done: placed === 1, info };
}

const { tool } = toolsOf<PickTask, PickState>();
const metres = (low: number, high: number) => z.number().min(low).max(high);

const tools = {
  move: tool(
    "Move the gripper's lower face towards a point for half a second. Metres.",
    { x: metres(-reach.x, reach.x), y: metres(0, reach.y) },
    ({ x, y }, { task, state }) => turn(state, task, [x, y], state.vacuum),
  ),
  grip: tool("Switch the vacuum on.", {}, (_, { task, state }) => turn(state, task, null, true)),
  release: tool("Switch the vacuum off.", {}, (_, { task, state }) => turn(state, task, null, false)),
};

const shown = ({ seen: { hand, block, holding } }: PickState) => {
  const told = (at: readonly number[]) => at.map((n) => n.toFixed(2)).join(" ");
  return `gripper ${told(hand)} block ${told(block)}${holding ? " held" : ""}`;
};

/** Over the block, down, grip, up, across, down, release; a way is gone until its end. */
const expert: Script = function* (prompt) {
  const to = /to (\d\.\d+)/.exec(prompt)![1]!;
  const from = /block (-?[\d.]+)/.exec(prompt)![1]!;
  const top = side.toFixed(2);
  for (const way of [
    `${from} 0.40`,
    `${from} ${top}`,
    "grip",
    `${from} 0.50`,
    `${to} 0.50`,
    `${to} ${top}`,
    "release",
  ]) {
    if (way === "grip" || way === "release") yield way;
    else while (!(yield `move ${way}`).startsWith(`gripper ${way.replace("-0.00", "0.00")}`));
  }
};

const random: Script = function* (_, dice) {
  for (;;) {
    const point = `${((2 * dice() - 1) * reach.x).toFixed(2)} ${(reach.y * dice()).toFixed(2)}`;
    yield dice() < 0.6 ? `move ${point}` : dice() < 0.5 ? "grip" : "release";
  }
};

/** Whole centimetres; `to` is an even number of them, and one more where the task is held out. */
function draw(dice: Random, more: 0 | 1): PickTask {
  const [from, to] = [Math.round(-80 + 60 * dice()), 2 * Math.round(10 + 29 * dice()) + more];
  return { from: from / 100, to: to / 100 };
}

/** A block is carried over a wall to its place. The reward is 1 when it lies there; milestones lead to it. */
export const pickAndPlace = toolEnvironment<PickTask, PickState>({
  name: "pick-and-place",
  maxTurns: 16,
  maxActionTokens: 48,
  async start({ from }) {
    const cell = await makeCell(from);
    return { vacuum: false, ...(await act(cell, null, false)) };
  },
  prompt: ({ to }, state) =>
    `Carry the block over the wall, which is ${wall.height} m high and at x = 0, to ${to.toFixed(2)}, and put it down. ` +
    `The block's side is ${side} m.\n${shown(state)}`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index), 0),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(seededRandom(1, i), 1)),
  expert,
  random,
});
