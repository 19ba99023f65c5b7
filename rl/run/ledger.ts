import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppendLog, parse } from "./append-log.js";

/** `step/group/sample/attempt` of the ask: the run's own name, which all keys begin with, is left out. */
export type SampleKey = string;

export interface Dropped {
  key: SampleKey;
  reason: string;
}

/** The run began, or was resumed. */
export interface StartRecord {
  kind: "start";
  /** Unix milliseconds. */
  at: number;
  /** Where paths of the configuration start from. */
  baseDir: string;
  /** What was changed on resume, one setting each. */
  changes: string[];
}

/** One step of the policy gradient is done. Written before anyone can sample with its weights. */
export interface StepRecord {
  kind: "step";
  step: number;
  /** Of the weights after it. */
  version: number;
  /** What it was trained on, in the order of training. */
  trained: SampleKey[];
  /** What will never be trained on. */
  dropped: Dropped[];
  data: DataPosition;
  /** Price of leaving the reference after it; null: none. */
  beta: number | null;
  /** Tokens of older weights were kept out of the loss; 0: none were. */
  oldest: number;
  /** Of its metrics. */
  counts: StepCounts;
}

export interface StepCounts {
  failedEpisodes: number;
  droppedGroups: number;
  cutGroups: number;
  duplicates: number;
  stale: number;
}

/** Where the run is in the order of its prompts: a prompt is `step/group` of the ask. */
export interface DataPosition {
  /** Steps whose prompts were asked for. */
  opened: number;
  /** Prompts of these that are neither trained on nor dropped. */
  open: string[];
}

/** The whole state of the learner (weights, moments, update count) after `step` is in folder `file`; -1: before the first. */
export interface StateRecord {
  kind: "state";
  step: number;
  version: number;
  /** Name in the run's folder `states`. */
  file: string;
  beta: number | null;
  data: DataPosition;
}

/** Success on held-out tasks before the first step. */
export interface EvaluationRecord {
  kind: "evaluation";
  success: number;
}

export type LedgerRecord = StartRecord | StepRecord | StateRecord | EvaluationRecord;

const fileOf = (run: string) => join(run, "ledger.log");
const decode = (record: Buffer) => JSON.parse(record.toString("utf8")) as LedgerRecord;
/** The one before the newest is kept, for the case that the newest cannot be read. */
export const keptStates = 2;

/**
 * What a run has done, in the order in which it did it; each record is on disk before anything follows from it. The run's truth:
 * what is not here did not happen, and what is here is not done again.
 */
export class RunLedger {
  readonly #log: AppendLog;
  start: StartRecord | null = null;
  evaluation: EvaluationRecord | null = null;
  /** The newest, at most {@link keptStates}. */
  states: StateRecord[] = [];
  /** Those after the oldest kept state. */
  steps: StepRecord[] = [];

  private constructor(log: AppendLog) {
    this.#log = log;
  }

  /** @throws ActorsError UNAVAILABLE when it is damaged otherwise than at its end */
  static async open(run: string): Promise<RunLedger> {
    const { log, records } = await AppendLog.open(fileOf(run));
    const ledger = new RunLedger(log);
    for (const record of records) ledger.#note(decode(record));
    return ledger;
  }

  /** The step that comes next. */
  get next(): number {
    return (this.steps.at(-1)?.step ?? this.states.at(-1)?.step ?? -1) + 1;
  }

  /** Of the newest weights that anybody may have sampled with; undefined before the first. */
  get version(): number | undefined {
    return this.steps.at(-1)?.version ?? this.states.at(-1)?.version;
  }

  /** Resolves when it is on disk. */
  async append(record: LedgerRecord): Promise<void> {
    await this.#log.append(Buffer.from(JSON.stringify(record)));
    this.#note(record);
  }

  /** No step before this one asked for an episode that may still be needed. */
  oldestAsk(): number {
    const open = (this.steps.at(-1) ?? this.states.at(-1))?.data.open ?? [];
    const keys = [...open, ...this.steps.flatMap(({ trained }) => trained)];
    return keys.reduce((oldest, key) => Math.min(oldest, Number(key.split("/")[0])), this.next);
  }

  /** The newest state cannot be read: go back to the one before. false: there is none. */
  fallBack(): boolean {
    if (this.states.length < 2) return false;
    this.states.pop();
    return true;
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #note(record: LedgerRecord): void {
    if (record.kind === "start") this.start ??= record;
    else if (record.kind === "evaluation") this.evaluation = record;
    else if (record.kind === "step") this.steps.push(record);
    else {
      this.states = [...this.states.filter(({ step }) => step !== record.step), record].slice(-keptStates);
      this.steps = this.steps.filter(({ step }) => step > this.states[0]!.step);
    }
  }
}

/** All records of a run, also of one that is under way; none where there is no ledger. */
export function readLedger(run: string): LedgerRecord[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(fileOf(run));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return parse(bytes, fileOf(run)).records.map(decode);
}
