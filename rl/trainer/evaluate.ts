import { ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { Ask, Outcome } from "../rollout/actor.js";
import type { Sampling } from "../rollout/sampling.js";
import type { RolloutPool } from "./rollouts.js";

export interface Evaluation {
  /** Share of the tasks that were solved; of those whose episode failed for no fault of the policy, there is no score. */
  success: number;
  reward: number;
  tasks: number;
  failed: number;
}

const chunk = 16;

/** Plays each task once. With temperature 0 the same weights give the same result. */
export async function evaluate(
  pool: RolloutPool,
  tasks: readonly unknown[],
  options: { name: string; seed: number; sampling: Sampling },
): Promise<Evaluation> {
  const asks = tasks.map(
    (task, group): Ask => ({
      key: `${options.name}/${group}`,
      ...{ step: 0, group, sample: 0, attempt: 0, task, sampling: options.sampling, publish: false },
      seed: deriveSeed(options.seed, group),
    }),
  );
  const chunks = Array.from({ length: Math.ceil(asks.length / chunk) }, (_, i) =>
    asks.slice(i * chunk, (i + 1) * chunk),
  );
  const outcomes = (await Promise.all(chunks.map((some) => pool.play(some)))).flat();
  const done = outcomes.filter(({ status }) => status === "done");
  if (done.length === 0 && outcomes.length > 0) {
    throw new ActorsError("UNAVAILABLE", `every episode of the evaluation failed: ${outcomes[0]!.reason}`);
  }
  const mean = (of: (outcome: Outcome) => number) => done.reduce((sum, o) => sum + of(o), 0) / Math.max(1, done.length);
  return {
    success: mean((o) => solved(o.metrics, o.reward)),
    reward: mean((o) => o.reward),
    tasks: done.length,
    failed: outcomes.length - done.length,
  };
}

/** Whether an episode reached its goal: as the environment says in `solved`, else any reward. */
export function solved(metrics: Record<string, number>, reward: number): number {
  return metrics["solved"] ?? Number(reward > 0);
}
