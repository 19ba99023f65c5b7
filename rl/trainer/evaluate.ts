import { ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { Config } from "../config/schema.js";
import type { HeldOut, TaskSupply } from "../data/supply.js";
import type { Ask, Outcome } from "../rollout/actor.js";
import { type Sampling, samplingOf } from "../rollout/sampling.js";
import { type Estimate, estimate, ksOf, pairedDifference, passAtK } from "./intervals.js";
import type { RolloutPool } from "./rollouts.js";

/** Of the tasks of one source, or of all. */
export interface Scores {
  /** Those with at least one sample. */
  tasks: number;
  /** Samples whose episode failed for no fault of the policy: they have no score. */
  failed: number;
  /** Mean over tasks of the share of their samples that were solved. */
  success: Estimate;
  reward: Estimate;
  /** By k; of the tasks that have so many samples. */
  passAt: Record<number, Estimate>;
}

export interface Evaluation extends Scores {
  /** Tries of each task. */
  samples: number;
  /** By `data_source`. */
  sources: Record<string, Scores>;
  /** Share of its samples that were solved, by the number of the task: for a paired comparison with other weights. */
  solvedByTask: Map<string, number>;
}

export interface EvaluationOptions {
  name: string;
  /** The same seed plays the same samples of the same tasks with the same dice, so two evaluations are paired. */
  seed: number;
  sampling: Sampling;
  samples: number;
}

const stream = 0xe7a1;

/** What a configuration has evaluated, and how; `name` begins the keys of its episodes. */
export function evaluationOf(
  { trainer, generator, environment }: Config,
  { heldOut }: TaskSupply,
  name: string,
): [tasks: readonly HeldOut[], options: EvaluationOptions] {
  const tasks = heldOut.slice(0, environment.eval_tasks ?? undefined);
  const sampling = samplingOf(generator.eval_sampling_params);
  return [
    tasks,
    { name, seed: deriveSeed(trainer.seed, stream), sampling, samples: generator.eval_n_samples_per_prompt },
  ];
}

interface Played {
  source: string;
  failed: number;
  solved: number[];
  rewards: number[];
}

const chunk = 16;

/** Plays each task `samples` times. With temperature 0 the same weights give the same result. */
export async function evaluate(
  pool: RolloutPool,
  tasks: readonly HeldOut[],
  options: EvaluationOptions,
): Promise<Evaluation> {
  const { name, seed, sampling, samples } = options;
  const asks = tasks.flatMap(({ task }, group) =>
    Array.from({ length: samples }, (_, sample): Ask => {
      const at = { step: 0, group, sample, attempt: 0 };
      const diced = sample === 0 ? deriveSeed(seed, group) : deriveSeed(seed, group, sample);
      return { key: `${name}/${group}/${sample}`, ...at, task, sampling, publish: false, seed: diced };
    }),
  );
  const chunks = Array.from({ length: Math.ceil(asks.length / chunk) }, (_, i) =>
    asks.slice(i * chunk, (i + 1) * chunk),
  );
  const outcomes = (await Promise.all(chunks.map((some) => pool.play(some)))).flat();
  if (outcomes.length > 0 && outcomes.every(({ status }) => status === "failed")) {
    throw new ActorsError("UNAVAILABLE", `every episode of the evaluation failed: ${outcomes[0]!.reason}`);
  }
  const played = byTask(tasks, asks, outcomes);
  const sources = [...new Set(played.map(({ source }) => source))];
  return {
    samples,
    ...scoresOf(played),
    sources: Object.fromEntries(
      sources.map((source) => [source, scoresOf(played.filter((task) => task.source === source))]),
    ),
    solvedByTask: new Map(
      played.flatMap(({ solved }, group) => (solved.length > 0 ? [[String(group), mean(solved)]] : [])),
    ),
  };
}

function byTask(tasks: readonly HeldOut[], asks: readonly Ask[], outcomes: readonly Outcome[]): Played[] {
  const groupOf = new Map(asks.map(({ key, group }) => [key, group]));
  const played = tasks.map(({ source }): Played => ({ source, failed: 0, solved: [], rewards: [] }));
  for (const { key, status, metrics, reward } of outcomes) {
    const task = played[groupOf.get(key)!]!;
    if (status === "failed") task.failed++;
    else {
      task.solved.push(solved(metrics, reward));
      task.rewards.push(reward);
    }
  }
  return played;
}

/** Tasks weigh the same, however many of their samples failed. */
export function scoresOf(played: readonly Pick<Played, "failed" | "solved" | "rewards">[]): Scores {
  const done = played.filter(({ solved }) => solved.length > 0);
  const most = Math.max(1, ...done.map(({ solved }) => solved.length));
  const passAt = ksOf(most).map((k) => {
    const enough = done.filter(({ solved }) => solved.length >= k);
    const right = ({ solved }: { solved: number[] }) => solved.filter((each) => each > 0).length;
    return [k, estimate(enough.map((task) => passAtK(task.solved.length, right(task), k)))];
  });
  return {
    tasks: done.length,
    failed: played.reduce((sum, { failed }) => sum + failed, 0),
    success: estimate(done.map(({ solved }) => mean(solved))),
    reward: estimate(done.map(({ rewards }) => mean(rewards))),
    passAt: Object.fromEntries(passAt),
  };
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);

const shown = ({ mean, low, high }: Estimate) => `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

/** Lines for people: all tasks, then each source where there are several. */
export function describeEvaluation(when: string, result: Evaluation, { generator }: Config): string[] {
  if (result.tasks + result.failed === 0) return [`held-out success ${when}: not measured, for nothing is held out`];
  const { temperature } = generator.eval_sampling_params;
  const how = temperature === 0 ? "greedy" : `sampled at temperature ${temperature}`;
  const tries = result.samples === 1 ? "one try each" : `${result.samples} tries each`;
  const failed = result.failed > 0 ? `, ${result.failed} could not be played` : "";
  const names = Object.keys(result.sources);
  const rows = names.length > 1 ? names.map((name) => `  ${name}: ${scoresLine(result.sources[name]!)}`) : [];
  const earned = result.reward.mean === result.success.mean ? "" : `, reward ${shown(result.reward)}`;
  const head = `held-out success ${when}: ${shown(result.success)}${earned} on ${result.tasks} tasks, ${how}, ${tries}${failed}`;
  const all = result.samples > 1 && names.length === 1 ? [`  ${scoresLine(result)}`] : [];
  return [head, ...all, ...rows];
}

/** Of the same tasks with the same dice. */
export function describeChange(before: Evaluation, after: Evaluation): string {
  const { tasks, mean, low, high } = pairedDifference(before.solvedByTask, after.solvedByTask);
  const signed = (x: number) => `${x < 0 ? "" : "+"}${x.toFixed(3)}`;
  return `held-out success changed by ${signed(mean)} [${signed(low)}, ${signed(high)}], paired over ${tasks} tasks`;
}

function scoresLine({ tasks, reward, passAt }: Scores): string {
  const passes = Object.entries(passAt).map(([k, pass]) => `pass@${k} ${shown(pass)}`);
  return `${passes.join("   ")}   reward ${shown(reward)}   ${tasks} tasks`;
}

/** Whether an episode reached its goal: as the environment says in `solved`, else any reward. */
export function solved(metrics: Record<string, number>, reward: number): number {
  return metrics["solved"] ?? Number(reward > 0);
}
