import type { Random } from "../environment.js";
import { hashText, pick, seededRandom, shuffled } from "../random.js";
import { names, settings, values } from "./vocabulary.js";

/** A broken service: which file decides a setting is hidden behind 1 to 3 includes. */
export interface QuickstartTask {
  /** From the file the service starts with to the one that holds the setting. */
  chain: string[];
  /** Files that nothing includes any more; each holds the same setting for something else, and must stay as it is. */
  decoys: string[];
  setting: string;
  /** The value the setting must get. */
  want: string;
  /** Name to content, with the final line break. */
  files: Record<string, string>;
}

const maxDepth = 3;
const heldOutCount = 200;
const heldOutSeed = 20_260;
/** One chain in eight is kept for the held-out tasks, whatever the setting, the decoys and the order of the lines. */
const heldOutShare = 8;

export function isHeldOut(task: QuickstartTask): boolean {
  return hashText(task.chain.join(" ")) % heldOutShare === 0;
}

export function trainTask(seed: number, index: number): QuickstartTask {
  const random = seededRandom(seed, index);
  for (;;) {
    const task = draw(random, 1 + Math.floor(random() * maxDepth));
    if (!isHeldOut(task)) return task;
  }
}

/** Every depth equally often. */
export function heldOutTasks(): QuickstartTask[] {
  const random = seededRandom(heldOutSeed);
  const tasks = new Map<string, QuickstartTask>();
  while (tasks.size < heldOutCount) {
    const task = draw(random, 1 + (tasks.size % maxDepth));
    if (isHeldOut(task)) tasks.set(JSON.stringify(task), task);
  }
  return [...tasks.values()];
}

function draw(random: Random, depth: number): QuickstartTask {
  const drawn = shuffled(names, random).slice(0, 2 * depth + 1);
  const chain = drawn.slice(0, depth + 1);
  const decoys = drawn.slice(depth + 1);
  const setting = pick(settings, random);
  const want = pick(values, random);
  const wrong = values.filter((value) => value !== want);
  const files: Record<string, string> = {};
  for (let i = 0; i < depth; i++) {
    const lines = [`include ${chain[i + 1]}`, `#include ${decoys[i]}`];
    files[chain[i] as string] = `${shuffled(lines, random).join("\n")}\n`;
  }
  for (const name of [chain[depth] as string, ...decoys]) files[name] = `${setting} ${pick(wrong, random)}\n`;
  return { chain, decoys, setting, want, files };
}

/** The first thing the agent reads. */
export function ticket(task: QuickstartTask): string {
  return `fix ${task.setting} to ${task.want} from ${task.chain[0]}`;
}
