// The environment of bench/pipeline.ts: it takes the time of real work, and does none of it.
import type { Environment, EnvironmentDef } from "../rl/environments/environment.js";
import { defineEnvironment } from "../rl/rollout/environment-ref.js";
import { echo } from "../rl/testing/echo.js";
import { pause } from "../runtime/index.js";

export interface PipelineTask {
  initMs: number;
  /** Of each turn. */
  turnsMs: number[];
  rewardMs: number;
  /** Episodes that go from stage to stage together, and their number; null: each for itself. */
  together: { name: string; episodes: number } | null;
}

export const turns = 4;

/** Those who wait for others of their batch, by batch and stage. */
const waiting = new Map<string, (() => void)[]>();

async function meet(stage: string, { together }: PipelineTask): Promise<void> {
  if (!together) return;
  const key = `${together.name} ${stage}`;
  const others = waiting.get(key) ?? [];
  waiting.set(key, others);
  await new Promise<void>((resolve) => {
    if (others.push(resolve) < together.episodes) return;
    waiting.delete(key);
    for (const go of others) go();
  });
}

class Timed implements Environment<PipelineTask> {
  #task: PipelineTask | undefined;
  #turn = 0;

  async reset(task: PipelineTask): Promise<string> {
    this.#task = task;
    await pause(task.initMs);
    await meet("init", task);
    return "say 0";
  }

  async step() {
    const { turnsMs } = this.#task!;
    await pause(turnsMs[this.#turn++]!);
    const terminated = this.#turn === turnsMs.length;
    if (terminated) await meet("run", this.#task!);
    return { observation: "say 0", reward: 0, terminated, truncated: false, info: {} };
  }

  async evaluate() {
    await pause(this.#task!.rewardMs);
    return { reward: 1, info: {} };
  }

  async close(): Promise<void> {}
}

export const timed = defineEnvironment(import.meta.url, {
  ...(echo as unknown as EnvironmentDef<PipelineTask>),
  name: "timed",
  maxTurns: turns,
  create: () => new Timed(),
});
export const timedModule = import.meta.url;
