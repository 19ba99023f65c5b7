import { setMaxListeners } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelConfig } from "../../native/index.js";
import { removeByPrefix } from "../../runtime/cluster/remains.js";
import { type ActorSystem, ActorsError } from "../../runtime/index.js";
import type { ConfigInput } from "../config/schema.js";
import type { WeightsRef } from "../policy/weights.js";
import { onDisk } from "../run/disk.js";
import { EpisodeStore } from "../run/episodes.js";
import type { RunSummary } from "../run/folder.js";
import type { StateRecord } from "../run/ledger.js";
import { TrajectoryRecorder } from "../run/recorder.js";
import { openSinks } from "../run/sinks.js";
import { copySpeech } from "../tokenizers/speech.js";
import { openTrajectoryLog } from "../trajectories/log.js";
import { generationOptions } from "./asks.js";
import { Critic, needsCritic } from "./critic.js";
import { describeChange, describeEvaluation, type Evaluation, evaluate, evaluationOf } from "./evaluate.js";
import { FrozenModel } from "./frozen.js";
import { Generation } from "./generation.js";
import { LearnerGroup } from "./learners.js";
import { type LearnContext, trainSteps } from "./loop.js";
import { Reference } from "./reference.js";
import { replaySteps } from "./replay.js";
import type { StepMetrics } from "./report.js";
import { type OpenRun, openRun, startFrom } from "./resume.js";
import { RolloutPool } from "./rollouts.js";
import { serveWeights } from "./serving.js";
import { freshModel } from "./shape.js";
import {
  spawnCritics,
  spawnFrozen,
  spawnGenerators,
  spawnLearners,
  type Topology,
  type TopologySpec,
} from "./topology.js";
import { warmStart } from "./warm-start.js";

export type Phase = "starting" | "warm start" | "evaluating" | "training" | "saving";

export interface TrainOptions {
  system: ActorSystem;
  /** What is left out has its default; with `resume`, what the run had. */
  config: ConfigInput;
  /** A run to go on with: `latest`, a name under `runsDir`, or a path. Default: a new run. */
  resume?: string;
  /** In the name of the run folder. */
  name: string;
  /** Where run folders are made. Default: `runs` in the working directory. */
  runsDir?: string;
  /** Paths in the configuration start here. Default: the working directory; with `resume`, where they started at first. */
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

const saveMs = 120_000;
const lastSaveMs = 15_000;

/**
 * Trains: a supervised start, then policy gradients on what the policy itself does in the environment. With `resume` an earlier run
 * goes on from where its folder says it was, whatever became of the processes that trained it.
 * @throws ActorsError with one sentence on what is wrong: an environment that cannot be loaded, a folder that cannot be written, a change
 * that a resumed run cannot make, an actor that keeps dying
 */
export async function train(options: TrainOptions): Promise<TrainResult> {
  const opened = await openRun(options);
  const { folder } = opened;
  folder.follow(openSinks(opened.config.trainer.logger, folder, (text) => options.line?.(text)));
  for (const line of opened.tasks.lines) options.line?.(line);
  const prefix = `${options.system.cluster.shmPrefix}${folder.id}-`;
  const recorder = new TrajectoryRecorder(folder.trajectories);
  const store = new EpisodeStore(folder.episodes);
  const ending = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ending.signal]) : ending.signal;
  setMaxListeners(0, signal); // every call in flight listens
  const run = new Run({ ...options, ...opened, signal, prefix, recorder, store });
  try {
    return await run.go();
  } finally {
    ending.abort();
    await run.close();
    removeByPrefix(prefix);
    await store.close();
    await folder.close();
    await opened.close();
    await recorder.close(); // tells what it could not write
  }
}

type RunContext = Omit<TrainOptions, "signal" | "config" | "baseDir"> &
  Omit<OpenRun, "close"> & {
    signal: AbortSignal;
    prefix: string;
    recorder: TrajectoryRecorder;
    store: EpisodeStore;
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
  #teacher: FrozenModel | null = null;
  #removeLog: () => Promise<void> = async () => {};
  #saved = false;
  /** The state that is on its way to disk. */
  #saving: Promise<void> = Promise.resolve();
  readonly #totals = { steps: 0, tokens: 0, episodes: 0, failedEpisodes: 0 };

  constructor(context: RunContext) {
    this.#c = context;
  }

  async go(): Promise<TrainResult> {
    const { config, folder, ledger, signal } = this.#c;
    const heldOut: RunSummary["heldOut"] = { before: ledger.evaluation?.success ?? null, after: null };
    let learners: LearnerGroup | undefined;
    try {
      const actors = await this.#start();
      learners = actors.learners;
      const known = await folder.keepMetrics(ledger.next - 1);
      for (const line of known) this.#count(line);
      const fresh = ledger.states.length === 0;
      await this.#serve(actors, fresh ? await this.#begin(actors) : await this.#goOn(actors, known.length));
      const early = config.trainer.eval_before_train && ledger.next === 0 && heldOut.before === null;
      const before = early ? await this.#evaluate(actors.pool, "before training") : null;
      if (before) {
        heldOut.before = before.success.mean;
        await ledger.append({ kind: "evaluation", success: before.success.mean });
      }
      await this.#train(actors);
      await this.#saveState(learners);
      await this.#saving;
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
    await Promise.allSettled([this.#saving]);
    await Promise.allSettled(this.#actors.map((actor) => this.#c.system.stop(actor, "the run is over")));
    await this.#removeLog();
    await rm(this.#c.folder.weights, { recursive: true, force: true }); // of servers that are asked no more
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
    const shape = await startFrom(learners, this.#c, line);
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

  /** The weights of a new run's first step. From here on it can be resumed. */
  async #begin(actors: Started): Promise<WeightsRef> {
    const { learners } = actors;
    await this.#warmStart(actors);
    await this.#freeze(actors);
    const weights = await learners.publish();
    await this.#saveState(learners);
    await this.#saving; // steps in the ledger mean nothing without a state before them
    return weights;
  }

  /** The weights of the last step that the ledger has. */
  async #goOn(actors: Started, metricsThere: number): Promise<WeightsRef> {
    const { learners, shape } = actors;
    const { ledger, changes, line } = this.#c;
    const newest = ledger.states.at(-1)!;
    const from = newest.step;
    const steps = ledger.steps.filter(({ step }) => step > from);
    for (const change of changes ?? []) line?.(`changed ${change}`);
    line?.(`resumed at step ${ledger.next}: the state after step ${from + 1}, and ${steps.length} steps again`);
    await this.#freeze(actors, newest);
    const before = await learners.publish();
    const replayed = await replaySteps(this.#learning(learners, shape), this.#c.store, steps, async (metrics) => {
      if (metrics.step < metricsThere) return;
      await this.#c.folder.metrics(metrics);
      this.#count(metrics);
    });
    return replayed ?? before;
  }

  async #warmStart({ learners, shape }: Started): Promise<void> {
    const { config, def, onPhase } = this.#c;
    const { steps } = config.trainer.warm_start;
    if (steps === 0) return;
    await warmStart(learners, def, config, shape.maxSeqLen, (done, loss) => {
      this.#c.signal.throwIfAborted();
      onPhase?.("warm start", done, steps, loss);
    });
  }

  /**
   * The policy before the first step is the reference, and what the critic starts from, where the algorithm has them; a teacher is who it was.
   * @param at a resumed run's newest state
   */
  async #freeze({ learners, spec }: Started, at?: StateRecord): Promise<void> {
    const { system, config, folder, signal, criticCheckpoint, teacher, line } = this.#c;
    const { algorithm, max_tokens_per_microbatch: maxTokens, step_timeout_seconds } = config.trainer;
    const timeoutMs = step_timeout_seconds * 1000;
    const [referred, valued] = [algorithm.use_kl_in_reward || algorithm.use_kl_loss, needsCritic(algorithm)];
    const needed = referred || (valued && criticCheckpoint === null);
    if (needed && !at) await learners.save(folder.reference, saveMs);
    const frozen = { ...spec, model: folder.reference };
    const freeze = async (name: "reference" | "teacher", model: string) => {
      const actor = await spawnFrozen(system, { ...spec, model }, name);
      this.#actors.push(actor);
      return new FrozenModel(actor, { maxTokens, timeoutMs, signal });
    };
    if (teacher !== null) this.#teacher = await freeze("teacher", teacher);
    if (referred) {
      this.#reference = new Reference(await freeze("reference", folder.reference), algorithm);
      if (at?.beta != null) this.#reference.beta = at.beta;
    }
    if (valued) {
      const ranks = await spawnCritics(system, { ...frozen, model: criticCheckpoint ?? frozen.model });
      this.#actors.push(...ranks);
      const group = new LearnerGroup(ranks, { timeoutMs, signal, line: (text) => line?.(`critic: ${text}`) });
      await group.start(at ? { version: at.version, path: join(folder.states, criticFileOf(at.file)) } : null);
      await group.commit();
      this.#critic = new Critic(group, config);
    }
  }

  #learning(learners: LearnerGroup, { maxSeqLen }: ModelConfig): LearnContext {
    const { config, estimator, reduction, lossModule, recorder, ledger, signal, line } = this.#c;
    const models = { reference: this.#reference, critic: this.#critic, teacher: this.#teacher };
    const methods = { config, estimator, reduction, lossModule, ...models };
    return { ...methods, learners, recorder, ledger, maxSeqLen, signal, line: (text) => line?.(text) };
  }

  async #train(actors: Started): Promise<void> {
    const { learners, shape, pool } = actors;
    const { system, config, folder, ledger, store, line } = this.#c;
    const { trainer } = config;
    const last = trainer.max_training_steps - 1;
    const log = openTrajectoryLog(system, folder.id);
    this.#removeLog = () => log.remove();
    const firstVersion = learners.committed! - ledger.next;
    const options = { ...generationOptions(this.#c, firstVersion), line: (text: string) => line?.(text) };
    const generation = new Generation(
      pool,
      log,
      store,
      options,
      ledger.steps.at(-1)?.data ?? ledger.states.at(-1)?.data,
    );
    this.#generation = generation;
    const serve = (weights: WeightsRef) => this.#serve(actors, weights);
    this.#c.onPhase?.("training", ledger.next, last + 1);
    for await (const metrics of trainSteps({ ...this.#learning(learners, shape), generation, firstVersion, serve })) {
      await folder.metrics(metrics);
      this.#count(metrics);
      this.#c.onStep?.(metrics);
      const { step } = metrics;
      const due = (interval: number) => interval > 0 && (step + 1) % interval === 0 && step < last;
      if (due(trainer.ckpt_interval)) await this.#saveState(learners);
      if (due(trainer.eval_interval)) await this.#evaluate(pool, `after step ${step + 1}`);
      if (due(trainer.hf_save_interval)) await this.#save(learners);
    }
  }

  #count({ tokens, episodes, failedEpisodes }: Pick<StepMetrics, "tokens" | "episodes" | "failedEpisodes">): void {
    this.#totals.steps++;
    this.#totals.tokens += tokens;
    this.#totals.episodes += episodes;
    this.#totals.failedEpisodes += failedEpisodes;
  }

  /** From here on the policy samples with these weights. */
  #serve({ topology: { policies }, learners, shape: { vocabSize } }: Started, weights: WeightsRef): Promise<void> {
    const { config, prefix, folder, signal } = this.#c;
    const at = { prefix, folder: folder.weights, signal };
    return serveWeights({ config, learners, policies, vocabSize, ...at }, weights);
  }

  async #evaluate(pool: RolloutPool, when: string): Promise<Evaluation> {
    const { config, tasks, folder } = this.#c;
    this.#c.onPhase?.("evaluating", this.#totals.steps, config.trainer.max_training_steps);
    const result = await evaluate(pool, ...evaluationOf(config, tasks, `${folder.id}/eval-${this.#totals.steps}`));
    for (const line of describeEvaluation(when, result, config)) this.#c.line?.(line);
    await folder.evaluation({ step: this.#totals.steps, when, ...result, solvedByTask: undefined });
    return result;
  }

  /** Begins to write what the run can go on from, once the one before is written; {@link #saving} ends when it is. */
  async #saveState(learners: LearnerGroup): Promise<void> {
    await this.#saving;
    const { ledger } = this.#c;
    const [step, version] = [ledger.next - 1, learners.committed!];
    if (ledger.states.at(-1)?.step === step) return;
    const data = this.#generation?.position() ?? ledger.states.at(-1)?.data ?? { opened: 0, open: [] };
    const file = `version-${version}`;
    const beta = this.#reference?.beta ?? null;
    this.#saving = this.#writeState(learners, { kind: "state", step, version, file, beta, data });
    this.#saving.catch(() => {}); // whoever waits for it next is told
  }

  /** What is needed only before the state goes. */
  async #writeState(learners: LearnerGroup, state: StateRecord): Promise<void> {
    const { folder, ledger, recorder, store } = this.#c;
    await recorder.flush();
    const [policy, critic] = [state.file, criticFileOf(state.file)].map((file) => join(folder.states, file)) as [
      string,
      string,
    ];
    await onDisk(folder.states, async () => {
      for (const left of [policy, critic]) await rm(left, { recursive: true, force: true });
      await Promise.all([learners.saveState(policy, saveMs), this.#critic?.learners.saveState(critic, saveMs)]);
    });
    await ledger.append(state);
    await folder.keepStates(ledger.states.flatMap(({ file }) => [file, criticFileOf(file)]));
    await store.removeBelow(ledger.oldestAsk());
  }

  async #save(learners: LearnerGroup, timeoutMs = saveMs): Promise<void> {
    this.#c.onPhase?.("saving", this.#totals.steps, this.#c.config.trainer.max_training_steps);
    await this.#c.folder.replaceCheckpoint(async (folder) => {
      await learners.save(folder, timeoutMs);
      if (this.#c.checkpoint !== null) await copySpeech(this.#c.checkpoint, folder);
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

/** Of a critic, beside the policy's. */
const criticFileOf = (file: string) => `critic-${file}`;

/** A learner that does not start from a checkpoint says why at the end of its chain of causes. */
function unreadable(error: unknown): unknown {
  let root = error as Error;
  while (root.cause instanceof Error) root = root.cause;
  const why = root instanceof ActorsError ? root.rawMessage : root.message;
  return new ActorsError("INVALID_ARGUMENT", `trainer.policy.model.path: the checkpoint cannot be read: ${why}`, {
    cause: error,
  });
}
