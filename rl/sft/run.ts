import { setMaxListeners } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { removeByPrefix } from "../../runtime/cluster/remains.js";
import { ActorsError } from "../../runtime/index.js";
import { maskedTokens, pack } from "../learner/batch.js";
import { type Example, supervisedSample } from "../learner/example.js";
import { onDisk } from "../run/disk.js";
import { openSinks } from "../run/sinks.js";
import { copySpeech } from "../tokenizers/speech.js";
import { LearnerGroup } from "../trainer/learners.js";
import { optimizerSettings, rateAt } from "../trainer/mini-batches.js";
import { combineStats } from "../trainer/report.js";
import { type OpenRun, openRunOf, startFrom } from "../trainer/resume.js";
import { planSupervised } from "../trainer/supervised.js";
import { spawnLearners } from "../trainer/topology.js";
import type { TrainOptions } from "../trainer/train.js";
import { loadSftInputs, modelOf, type SftInputs } from "./inputs.js";

/** A line of metrics.jsonl. */
export interface SftMetrics {
  step: number;
  /** Of the weights after the step. */
  version: number;
  /** Mean over the tokens that are learned. */
  loss: number;
  gradNorm: number;
  lr: number;
  skippedUpdates: number;
  examples: number;
  /** Learned, and all. */
  tokens: number;
  totalTokens: number;
  tokensPerSecond: number;
  /** Passes over the rows so far; null where the environment demonstrates. */
  epoch: number | null;
  /** Wall seconds; the parts are those of the slowest rank. */
  seconds: { total: number; forwardBackward: number; optimizer: number };
}

/** A line of evaluations.jsonl. */
export interface SftEvaluation {
  step: number;
  when: string;
  loss: number;
  perplexity: number;
  examples: number;
  tokens: number;
}

export interface SftResult {
  folder: string;
  /** null: the run was interrupted before there was anything to save. */
  checkpoint: string | null;
  interrupted: boolean;
  steps: number;
  /** Loss on `data.val_data`; null where it was not measured. */
  heldOut: { before: number | null; after: number | null };
  seed: number;
  wallSeconds: number;
  /** Learned since the run was started the last time. */
  tokens: number;
}

export type SftOptions = Omit<TrainOptions, "onStep"> & { onStep?(metrics: SftMetrics): void };

const saveMs = 120_000;

/**
 * Supervised fine-tuning: cross-entropy on what the assistant says, by the learner that RL uses. The run folder is as RL leaves it, and
 * `actors up` goes on from its checkpoint. What an update learns from follows from its number, so a run that is resumed needs no
 * more than the state of the learner: it comes out with the same weights as one that was not interrupted.
 * @throws ActorsError with one sentence on what is wrong
 */
export async function fineTune(options: SftOptions): Promise<SftResult> {
  const opened = await openRunOf(options, loadSftInputs);
  const { folder } = opened;
  folder.follow(openSinks(opened.config.trainer.logger, folder, (text) => options.line?.(text)));
  for (const line of opened.tasks.lines) options.line?.(line);
  const prefix = `${options.system.cluster.shmPrefix}${folder.id}-`;
  const ending = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ending.signal]) : ending.signal;
  setMaxListeners(0, signal); // every call in flight listens
  const run = new Run(options, opened, prefix, signal);
  try {
    return await run.go();
  } finally {
    ending.abort();
    await run.close();
    removeByPrefix(prefix);
    await folder.close();
    await opened.close();
  }
}

class Run {
  readonly #options: SftOptions;
  readonly #opened: OpenRun<SftInputs>;
  readonly #prefix: string;
  readonly #signal: AbortSignal;
  readonly #actors: object[] = [];
  #done = 0;
  #tokens = 0;

  constructor(options: SftOptions, opened: OpenRun<SftInputs>, prefix: string, signal: AbortSignal) {
    this.#options = options;
    this.#opened = opened;
    this.#prefix = prefix;
    this.#signal = signal;
  }

  async go(): Promise<SftResult> {
    const started = performance.now();
    const { config, folder, ledger } = this.#opened;
    const heldOut: SftResult["heldOut"] = { before: ledger.evaluation?.success ?? null, after: null };
    let saved = false;
    let learners: LearnerGroup | undefined;
    try {
      learners = await this.#start();
      if (config.trainer.eval_before_train && ledger.next === 0 && heldOut.before === null) {
        heldOut.before = await this.#evaluate(learners, "before training");
        if (heldOut.before !== null) await ledger.append({ kind: "evaluation", success: heldOut.before });
      }
      await this.#train(learners);
      heldOut.after = await this.#evaluate(learners, "after training");
      await this.#save(learners);
      saved = true;
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
    const summary = {
      ...{ seed: config.trainer.seed, steps: this.#done, heldOut, tokens: this.#tokens },
      wallSeconds: Math.round(performance.now() - started) / 1000,
    };
    await folder.summary(summary);
    const { path, checkpoint } = folder;
    return { ...summary, folder: path, checkpoint: saved ? checkpoint : null, interrupted: this.#signal.aborted };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#actors.map((actor) => this.#options.system.stop(actor, "the run is over")));
  }

  async #start(): Promise<LearnerGroup> {
    const { config, folder, ledger, changes } = this.#opened;
    this.#options.onPhase?.("starting", 0, 1);
    const spec = { prefix: this.#prefix, config, model: modelOf(this.#opened) };
    const ranks = await spawnLearners(this.#options.system, spec);
    this.#actors.push(...ranks);
    const timeoutMs = config.trainer.step_timeout_seconds * 1000;
    const line = (text: string) => this.#options.line?.(text);
    const learners = new LearnerGroup(ranks, { timeoutMs, signal: this.#signal, line });
    await startFrom(learners, this.#opened, line);
    await learners.publish(); // what the ranks come back to when one dies
    this.#done = ledger.next;
    await folder.keepMetrics(this.#done - 1);
    if (ledger.states.length === 0) await this.#saveState(learners, -1);
    else line(`resumed at step ${ledger.next}`);
    for (const change of changes ?? []) line(`changed ${change}`);
    return learners;
  }

  async #train(learners: LearnerGroup): Promise<void> {
    const { config, folder, ledger } = this.#opened;
    const { trainer } = config;
    const last = trainer.max_training_steps - 1;
    this.#options.onPhase?.("training", ledger.next, last + 1);
    for (let step = ledger.next; step <= last; step++) {
      const metrics = await this.#step(learners, step);
      await folder.metrics(metrics);
      this.#tokens += metrics.tokens;
      this.#done = step + 1;
      this.#options.onStep?.(metrics);
      const due = (interval: number) => interval > 0 && (step + 1) % interval === 0 && step < last;
      if (due(trainer.ckpt_interval) || step === last) await this.#saveState(learners, step);
      if (due(trainer.eval_interval)) await this.#evaluate(learners, `after step ${step + 1}`);
      if (due(trainer.hf_save_interval)) await this.#save(learners);
    }
  }

  async #step(learners: LearnerGroup, step: number): Promise<SftMetrics> {
    this.#signal.throwIfAborted();
    const started = performance.now();
    const { config, tasks, examples } = this.#opened;
    const { policy, train_batch_size: size, max_tokens_per_microbatch: maxTokens } = config.trainer;
    const lr = rateAt(policy.optimizer_config, step);
    const optimizer = optimizerSettings(policy.optimizer_config);
    const plans = await planSupervised(examples, step, 1, {
      ...{ world: learners.world, optimizer, maxTokens, rate: () => lr },
    });
    const { stats, version } = await learners.update(plans, false);
    const { loss, gradNorm, skippedUpdates, skipReason, seconds } = combineStats(stats);
    if (skipReason !== null) this.#options.line?.(`step ${step}: the update was left out: ${skipReason}`);
    const total = (performance.now() - started) / 1000;
    const { logprobs: _, ...parts } = seconds;
    const batches = plans.flatMap(({ miniBatches }) => miniBatches.map(({ batch }) => batch));
    const tokens = stats.reduce((sum, each) => sum + each.tokens, 0);
    return {
      ...{ step, version, loss, gradNorm, lr, skippedUpdates, examples: size, tokens },
      totalTokens: batches.reduce((sum, { tokens_N }) => sum + tokens_N.length, 0),
      tokensPerSecond: tokens / total,
      epoch: tasks.epoch && ((step + 1) * size) / tasks.epoch,
      seconds: { total, ...parts },
    };
  }

  /** The loss on the held-out rows; null where there are none. */
  async #evaluate(learners: LearnerGroup, when: string): Promise<number | null> {
    const { config, tasks, folder } = this.#opened;
    if (tasks.heldOut.length === 0) return null;
    this.#options.onPhase?.("evaluating", this.#done, config.trainer.max_training_steps);
    const samples = tasks.heldOut.map(({ task }: { task: Example }) => supervisedSample(task));
    const batch = pack(samples);
    const logp_N = await learners.logprobs(batch, config.trainer.max_tokens_per_microbatch);
    const tokens = maskedTokens(samples);
    const loss = -batch.lossMask_N.reduce((sum, said, i) => (said ? sum + logp_N[i]! : sum), 0) / Math.max(1, tokens);
    const found: SftEvaluation = {
      ...{ step: this.#done, when, loss, perplexity: Math.exp(loss), examples: samples.length, tokens },
    };
    await folder.evaluation(found);
    this.#options.line?.(
      `held-out loss ${when}: ${loss.toFixed(4)}, perplexity ${found.perplexity.toFixed(2)}, on ${tokens} tokens of ${samples.length} rows`,
    );
    return loss;
  }

  /** Nothing else is needed to go on from here. */
  async #saveState(learners: LearnerGroup, step: number): Promise<void> {
    const { folder, ledger } = this.#opened;
    const version = learners.committed;
    if (version === null) throw new ActorsError("INTERNAL", "the learner has no version to save");
    const file = `version-${version}`;
    const state = join(folder.states, file);
    await onDisk(folder.states, async () => {
      await rm(state, { recursive: true, force: true }); // what a killed run left
      await learners.saveState(state, saveMs);
    });
    await ledger.append({ kind: "state", step, version, file, beta: null, data: { opened: 0, open: [] } });
    await folder.keepStates(ledger.states.map((state) => state.file));
  }

  async #save(learners: LearnerGroup): Promise<void> {
    const { config, folder, checkpoint } = this.#opened;
    this.#options.onPhase?.("saving", this.#done, config.trainer.max_training_steps);
    await folder.replaceCheckpoint(async (to) => {
      await learners.save(to, saveMs);
      if (checkpoint !== null) await copySpeech(checkpoint, to);
    });
  }
}
