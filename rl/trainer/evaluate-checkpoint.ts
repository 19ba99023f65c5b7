import { setMaxListeners } from "node:events";
import { rm } from "node:fs/promises";
import { removeByPrefix } from "../../runtime/cluster/remains.js";
import type { ActorSystem } from "../../runtime/index.js";
import { resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { type Evaluation, evaluate, evaluationOf } from "./evaluate.js";
import { loadInputs } from "./inputs.js";
import { LearnerGroup } from "./learners.js";
import { RolloutPool } from "./rollouts.js";
import { serveWeights } from "./serving.js";
import { spawnGenerators, spawnLearners } from "./topology.js";

export interface EvaluateOptions {
  system: ActorSystem;
  /** Its `trainer.policy.model.path` is the checkpoint. */
  config: ConfigInput;
  /** Paths in the configuration start here. */
  baseDir: string;
  signal: AbortSignal;
  line(text: string): void;
}

/**
 * Plays the held-out tasks with a checkpoint, as a training does between its steps: with the same seed, on the same tasks, with the
 * same dice, so its result can be paired with theirs.
 * @throws ActorsError with one sentence on what is wrong
 */
export async function evaluateCheckpoint(options: EvaluateOptions): Promise<Evaluation> {
  const { system, baseDir, line } = options;
  const inputs = await loadInputs(resolveConfig(options.config), baseDir);
  const { environment, def, tasks, checkpoint } = inputs;
  const config = { ...inputs.config, trainer: { ...inputs.config.trainer, learner_ranks: 1 } }; // it only loads the weights
  for (const each of tasks.lines) line(each);
  const run = `eval-${process.pid}-${Date.now().toString(36)}`;
  const prefix = `${system.cluster.shmPrefix}${run}-`;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  setMaxListeners(0, signal); // every call in flight listens
  const actors: object[] = [];
  const written = `${checkpoint}.${run}`; // only for servers of another maker
  try {
    const spec = { run, prefix, config, environment, def, model: checkpoint! };
    const ranks = await spawnLearners(system, spec);
    actors.push(...ranks);
    const timeoutMs = config.trainer.step_timeout_seconds * 1000;
    const learners = new LearnerGroup(ranks, { timeoutMs, signal, line });
    const shape = await learners.start();
    const { policies, rollouts } = await spawnGenerators(system, spec, shape, (actor) => actors.push(actor));
    const at = { prefix, folder: written, signal };
    await serveWeights({ config, learners, policies, vocabSize: shape.vocabSize, ...at }, await learners.publish());
    return await evaluate(new RolloutPool(rollouts, { timeoutMs, signal, line }), ...evaluationOf(config, tasks, run));
  } finally {
    ending.abort();
    await Promise.allSettled(actors.map((actor) => system.stop(actor, "the evaluation is over")));
    removeByPrefix(prefix);
    await rm(written, { recursive: true, force: true });
  }
}
