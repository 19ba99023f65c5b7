import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mergeConfig } from "../rl/config/load.js";
import type { ConfigInput } from "../rl/config/schema.js";
import { settings } from "../rl/recipes/quickstart.js";
import { readTrajectories } from "../rl/run/read.js";
import type { RecordedTrajectory } from "../rl/run/record-worker.js";
import { train } from "../rl/trainer/train.js";
import { localSystem } from "../runtime/index.js";
import type { Benchmark, Report } from "./harness.js";

const defaultRuns = 3;
const tasks = 16;
const plain = 16;
/** Beginnings of a tree, and episodes of it; more than are needed for as many tokens as plain sampling draws. */
const [roots, leaves] = [4, 48];

const bench: Benchmark = {
  claim: "At equal tokens drawn, branching at turns finds more distinct paths of a task than plain sampling.",
  leavesOut: [
    "whether more distinct paths train a better policy",
    "larger models and longer tasks: this is quickstart's policy after its warm start, on its tasks of a few turns",
    "the environment's time: a branch takes its root's actions again",
  ],

  async measure(report, { runs = defaultRuns }) {
    for (let seed = 1; seed <= runs; seed++) {
      report.progress(`seed ${seed} of ${runs}`);
      await compare(seed, report);
    }
    report.remark(
      `${tasks} tasks a seed, each with as many tokens as ${plain} plain samples draw; a path is the actions of an episode`,
    );
    report.remark("effective: no action was an error; solved: it earned the reward");
  },
};
export default bench;

async function compare(seed: number, report: Report): Promise<void> {
  const runsDir = mkdtempSync(join(tmpdir(), "bench-tree-"));
  const run = async (overrides: ConfigInput) => {
    const system = await localSystem();
    const config = mergeConfig(
      mergeConfig(settings, { trainer: { seed, mode: "sync", eval_before_train: false } }),
      overrides,
    );
    try {
      return await train({
        system,
        config: mergeConfig(config, { environment: { eval_tasks: 1 } }),
        name: "tree",
        runsDir,
      });
    } finally {
      await system.close();
    }
  };
  try {
    const { checkpoint } = await run({ trainer: { max_training_steps: 0 } });
    const frozen: ConfigInput = {
      trainer: {
        ...{ max_training_steps: 1, train_batch_size: tasks, policy_mini_batch_size: null, warm_start: { steps: 0 } },
        policy: { model: { path: checkpoint } },
      },
    };
    const sampled = await run(mergeConfig(frozen, { generator: { n_samples_per_prompt: plain } }));
    const tree = { n_samples_per_prompt: leaves, tree: { roots } };
    const branched = await run(mergeConfig(frozen, { generator: tree }));
    const [a, b] = [byTask(sampled.folder), byTask(branched.folder)];
    for (const [name, counts] of Object.entries(kinds)) {
      let [apart, together] = [0, 0];
      for (const [task, episodes] of a) {
        const budget = episodes.reduce((sum, episode) => sum + drawn(episode), 0);
        apart += distinct(episodes, budget, counts);
        together += distinct(b.get(task) ?? [], budget, counts);
      }
      report.add(`distinct ${name} paths a task, plain`, "", apart / a.size);
      report.add(`distinct ${name} paths a task, tree`, "", together / a.size);
      report.add(`tree over plain, ${name}`, "x", together / Math.max(1, apart));
    }
  } finally {
    rmSync(runsDir, { recursive: true, force: true });
  }
}

const kinds: Record<string, (episode: RecordedTrajectory) => boolean> = {
  all: () => true,
  effective: ({ metrics }) => metrics["errors"] === 0,
  solved: ({ reward }) => reward > 0,
};

function byTask(folder: string): Map<string, RecordedTrajectory[]> {
  const found = new Map<string, RecordedTrajectory[]>();
  for (const episode of readTrajectories(folder)) {
    found.set(episode.task, [...(found.get(episode.task) ?? []), episode]);
  }
  return found;
}

const drawn = ({ lossMask, shared }: RecordedTrajectory) =>
  lossMask.reduce((sum, sampled) => sum + sampled, 0) - shared;

/** Among the first episodes that were drawn with so many tokens. */
function distinct(
  episodes: readonly RecordedTrajectory[],
  budget: number,
  counts: (e: RecordedTrajectory) => boolean,
): number {
  const paths = new Set<string>();
  let tokens = 0;
  for (const episode of episodes) {
    tokens += drawn(episode);
    if (tokens > budget) break;
    if (counts(episode)) paths.add(JSON.stringify(episode.turns.map(({ action }) => action)));
  }
  return paths.size;
}
