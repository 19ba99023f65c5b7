import { setMaxListeners } from "node:events";
import { join, resolve } from "node:path";
import type { ModelConfig } from "../../native/index.js";
import { removeByPrefix } from "../../runtime/cluster/remains.js";
import { type ActorSystem, ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import { resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { pointToWeights, type WeightsRef } from "../policy/weights.js";
import { samplingOf } from "../rollout/sampling.js";
import { RunFolder, type RunSummary } from "../run/folder.js";
import { TrajectoryRecorder } from "../run/recorder.js";
import { openSinks } from "../run/sinks.js";
import { openTrajectoryLog } from "../trajectories/log.js";
import { Critic, needsCritic } from "./critic.js";
import { describeChange, describeEvaluation, type Evaluation, evaluate, evaluationOf } from "./evaluate.js";
import { Generation } from "./generation.js";
import { type Inputs, loadInputs } from "./inputs.js";
import { LearnerGroup } from "./learners.js";
import { trainSteps } from "./loop.js";
import { Reference } from "./reference.js";
import type { StepMetrics } from "./report.js";
import { RolloutPool } from "./rollouts.js";
import { freshModel } from "./shape.js";
import {
  spawnCritics,
  spawnGenerators,
  spawnLearners,
  spawnReference,
  type Topology,
  type TopologySpec,
} from "./topology.js";
import { warmStart } from "./warm-start.js";

export type Phase = "starting" | "warm start" | "evaluating" | "training" | "saving";

export interface TrainOptions {
  system: ActorSystem;
  /** What is left out has its default. */
  config: ConfigInput;
  /** In the name of the run folder. */
  name: string;
  /** Where run folders are made. Default: `runs` in the working directory. */
  runsDir?: string;
  /** Paths in the configuration start here. Default: the working directory. */
  baseDir?: string;
  /** Ends the training at the next good point; what was learned so far is kept. */
  signal?: AbortSignal;
  /** One line of what happened that someone watching should know: deaths and what was done, evaluations. */
  line?(text: string): void;
  onPhase?(phase: Phase, done: number, of: number, loss?: number): void;
  onStep?(metrics: StepMetrics): void;
}

export interface TrainResult extends RunSummary {
  folder: string;
  /** null: the run was interrupted before there was anything to save. */
  checkpoint: string | null;
  interrupted: boolean;
}

const loadMs = 60_000;
const saveMs = 120_000;
const lastSaveMs = 15_000;

/**
 * Trains: a supervised start, then policy gradients on what the policy itself does in the environment.
 * @throws ActorsError with one sentence on what is wrong: an environment that cannot be loaded, a folder that cannot be written, an actor that
 * keeps dying
 */
export async function train(options: TrainOptions): Promise<TrainResult> {
  const inputs = await loadInputs(resolveConfig(options.config), options.baseDir ?? ".");
  const { config } = inputs;
  const folder = await RunFolder.create(resolve(options.runsDir ?? "runs"), options.name, config);
  folder.follow(openSinks(config.trainer.logger, folder, (text) => options.line?.(text)));
  const { fingerprint, reports, lines } = inputs.tasks;
  for (const line of lines) options.line?.(line);
  if (fingerprint !== null) await folder.data({ fingerprint, ...reports });
  const prefix = `${options.system.cluster.shmPrefix}${folder.id}-`;
  const recorder = new TrajectoryRecorder(folder.trajectories);
  const ending = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ending.signal]) : ending.signal;
  setMaxListeners(0, signal); // every call in flight listens
  const run = new Run({ ...options, ...inputs, signal, folder, prefix, recorder });
  try {
    return await run.go();
  } finally {
    ending.abort();
    await run.close();
    removeByPrefix(prefix);
    await folder.close();
    await recorder.close(); // tells what it could not write
  }
}

type RunContext = Omit<TrainOptions, "signal" | "config"> &
  Inputs & {
    signal: AbortSignal;
    folder: RunFolder;
    prefix: string;
    recorder: TrajectoryRecorder;
  };

interface Started {
  spec: TopologySpec;
  topology: Topology;
  learners: LearnerGroup;
  shape: ModelConfig;
  pool: RolloutPool;
}

class Run {
  readonly #c: RunContext;
  readonly #started = performance.now();
  readonly #actors: object[] = [];
  #generation: Generation | undefined;
  #reference: Reference | null = null;
  #critic: Critic | null = null;
  #removeLog: () => Promise<void> = async () => {};
  #saved = false;
  readonly #totals = { steps: 0, tokens: 0, episodes: 0, failedEpisodes: 0 };

  constructor(context: RunContext) {
    this.#c = context;
  }

  async go(): Promise<TrainResult> {
    const { config, folder, signal } = this.#c;
    const heldOut: RunSummary["heldOut"] = { before: null, after: null };
    let learners: LearnerGroup | undefined;
    try {
      const actors = await this.#start();
      learners = actors.learners;
      await this.#warmStart(learners);
      await this.#freeze(actors);
      await this.#serve(actors.topology, await learners.publish());
      const before = config.trainer.eval_before_train ? await this.#evaluate(actors.pool, "before training") : null;
      heldOut.before = before?.success.mean ?? null;
      await this.#train(actors);
      const after = await this.#evaluate(actors.pool, "after training");
      heldOut.after = after.success.mean;
      if (before) this.#c.line?.(describeChange(before, after));
      await this.#save(learners);
    } catch (error) {
      if (!signal.aborted) throw error;
      if (learners && this.#totals.steps > 0) await this.#saveLast(learners);
    }
    const summary: RunSummary = { seed: config.trainer.seed, wallSeconds: this.#seconds(), heldOut, ...this.#totals };
    await folder.summary(summary);
    const checkpoint = this.#saved ? folder.checkpoint : null;
    return { ...summary, folder: folder.path, checkpoint, interrupted: signal.aborted };
  }

  /** Stops what {@link go} started; the run's files in shared memory and its stream go too. */
  async close(): Promise<void> {
    await this.#generation?.close();
    await Promise.allSettled(this.#actors.map((actor) => this.#c.system.stop(actor, "the run is over")));
    await this.#removeLog();
  }

  async #start(): Promise<Started> {
    const { system, config, def, folder, prefix, environment, checkpoint, signal } = this.#c;
    this.#c.onPhase?.("starting", 0, 1);
    const model = checkpoint ?? freshModel(config, def.tokenizer.vocabSize);
    const spec = { run: folder.id, prefix, config, environment, def, model };
    const ranks = await spawnLearners(system, spec).catch((error: unknown) => {
      throw checkpoint === null ? error : unreadable(error);
    });
    this.#actors.push(...ranks);
    const timeoutMs = config.trainer.step_timeout_seconds * 1000;
    const line = (text: string) => this.#c.line?.(text);
    const learners = new LearnerGroup(ranks, { timeoutMs, signal, line });
    const shape = await learners.start();
    if (shape.vocabSize < def.tokenizer.vocabSize) {
      throw new ActorsError(
        "INVALID_ARGUMENT",
        `the model ${checkpoint} has a vocabulary of ${shape.vocabSize}, environment ${def.name} needs ${def.tokenizer.vocabSize}`,
      );
    }
    const generators = await spawnGenerators(system, spec, shape, (actor) => this.#actors.push(actor));
    const topology: Topology = { learners: ranks, ...generators };
    return { spec, topology, learners, shape, pool: new RolloutPool(topology.rollouts, { timeoutMs, signal, line }) };
  }

  async #warmStart(learners: LearnerGroup): Promise<void> {
    const { config, def, onPhase } = this.#c;
    const { steps } = config.trainer.warm_start;
    if (steps === 0) return;
    await warmStart(learners, def, config, (done, loss) => {
      this.#c.signal.throwIfAborted();
      onPhase?.("warm start", done, steps, loss);
    });
  }

  /** The policy as it is now becomes the reference, and what the critic starts from, where the algorithm has them. */
  async #freeze({ learners, spec }: Started): Promise<void> {
    const { system, config, folder, signal, criticCheckpoint, line } = this.#c;
    const { algorithm, max_tokens_per_microbatch: maxTokens, step_timeout_seconds } = config.trainer;
    const timeoutMs = step_timeout_seconds * 1000;
    const [referred, valued] = [algorithm.use_kl_in_reward || algorithm.use_kl_loss, needsCritic(algorithm)];
    if (referred || (valued && criticCheckpoint === null)) await learners.save(folder.reference, saveMs);
    const frozen = { ...spec, model: folder.reference };
    if (referred) {
      const model = await spawnReference(system, frozen);
      this.#actors.push(model);
      this.#reference = new Reference(model, { algorithm, maxTokens, timeoutMs, signal });
    }
    if (valued) {
      const ranks = await spawnCritics(system, { ...frozen, model: criticCheckpoint ?? frozen.model });
      this.#actors.push(...ranks);
      const group = new LearnerGroup(ranks, { timeoutMs, signal, line: (text) => line?.(`critic: ${text}`) });
      await group.start();
      this.#critic = new Critic(group, config);
    }
  }

  async #train({ topology, learners, shape, pool }: Started): Promise<void> {
    const { system, config, tasks, folder, recorder, signal, estimator, reduction, lossModule, line } = this.#c;
    const { trainer, generator } = config;
    const { type, max_sample_batches, min_replace_ratio } = trainer.algorithm.dynamic_sampling;
    const log = openTrajectoryLog(system, folder.id);
    this.#removeLog = () => log.remove();
    const generation = new Generation(pool, log, {
      run: folder.id,
      groups: trainer.train_batch_size,
      samples: generator.n_samples_per_prompt,
      maxStaleness: trainer.mode === "sync" ? 0 : trainer.max_staleness_steps,
      firstVersion: learners.committed!,
      signal,
      line: (text) => line?.(text),
      dynamic: type && { type, maxBatches: max_sample_batches, minReplaceRatio: min_replace_ratio },
      describe: ({ step, group, sample }) => ({
        task: tasks.train(step, group),
        seed: deriveSeed(trainer.seed, step, group, sample),
        sampling: samplingOf(generator.sampling_params),
      }),
    });
    this.#generation = generation;
    const serve = (weights: WeightsRef) => this.#serve(topology, weights);
    const last = trainer.max_training_steps - 1;
    this.#c.onPhase?.("training", 0, last + 1);
    const loop = {
      config,
      estimator,
      reduction,
      lossModule,
      reference: this.#reference,
      critic: this.#critic,
      learners,
      generation,
      recorder,
      signal,
      serve,
      maxSeqLen: shape.maxSeqLen,
    };
    for await (const metrics of trainSteps({ ...loop, line: (text) => line?.(text) })) {
      await folder.metrics(metrics);
      this.#totals.steps++;
      this.#totals.tokens += metrics.tokens;
      this.#totals.episodes += metrics.episodes;
      this.#totals.failedEpisodes += metrics.failedEpisodes;
      this.#c.onStep?.(metrics);
      const { step } = metrics;
      const due = (interval: number) => interval > 0 && (step + 1) % interval === 0 && step < last;
      if (due(trainer.eval_interval)) await this.#evaluate(pool, `after step ${step + 1}`);
      if (due(trainer.ckpt_interval)) await this.#save(learners);
    }
  }

  /** From here on the policy samples with these weights; a restarted one finds them by itself. */
  async #serve({ policies }: Topology, weights: WeightsRef): Promise<void> {
    await pointToWeights(this.#c.prefix, weights);
    const { signal } = this.#c;
    await Promise.all(policies.map((policy) => policy.load.with({ timeoutMs: loadMs, signal })(weights)));
  }

  async #evaluate(pool: RolloutPool, when: string): Promise<Evaluation> {
    const { config, tasks, folder } = this.#c;
    this.#c.onPhase?.("evaluating", this.#totals.steps, config.trainer.max_training_steps);
    const result = await evaluate(pool, ...evaluationOf(config, tasks, `${folder.id}/eval-${this.#totals.steps}`));
    for (const line of describeEvaluation(when, result, config)) this.#c.line?.(line);
    await folder.evaluation({ step: this.#totals.steps, when, ...result, solvedByTask: undefined });
    return result;
  }

  async #save(learners: LearnerGroup, timeoutMs = saveMs): Promise<void> {
    this.#c.onPhase?.("saving", this.#totals.steps, this.#c.config.trainer.max_training_steps);
    await this.#c.folder.replaceCheckpoint(async (folder) => {
      await learners.save(folder, timeoutMs);
      await this.#critic?.learners.save(join(folder, "critic"), timeoutMs);
    });
    this.#saved = true;
  }

  async #saveLast(learners: LearnerGroup): Promise<void> {
    await this.#save(learners, lastSaveMs).catch((error: Error) => {
      this.#c.line?.(`the checkpoint could not be saved: ${error.message}`);
    });
  }

  #seconds(): number {
    return Math.round(performance.now() - this.#started) / 1000;
  }
}

/** A learner that does not start from a checkpoint says why at the end of its chain of causes. */
function unreadable(error: unknown): unknown {
  let root = error as Error;
  while (root.cause instanceof Error) root = root.cause;
  const why = root instanceof ActorsError ? root.rawMessage : root.message;
  return new ActorsError("INVALID_ARGUMENT", `trainer.policy.model.path: the checkpoint cannot be read: ${why}`, {
    cause: error,
  });
}
