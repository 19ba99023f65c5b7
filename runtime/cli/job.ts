import type { ActorSystem } from "../system.js";

/**
 * What `actors up` runs on the cluster it started. `recipe:` in the configuration file names one of the jobs given to
 * `createCli`, or a module (`./mine.js`) whose default export is a Job; without it the first job runs.
 */
export interface Job {
  name: string;
  /** One line for `actors up --help`. */
  describe: string;
  /** Takes `resume`; --resume is refused for a job that does not. */
  resumes?: boolean;
  /** Called before anything starts. What it throws is bad input: one sentence, exit code 2. */
  check?(input: JobInput): void | Promise<void>;
  /** What it throws is shown as one sentence (the hint of an ActorsError is shown too) and ends the command with 1. */
  run(context: JobContext): Promise<JobResult>;
}

/** What the command line and the file say. */
export interface JobInput {
  /** The YAML document with `--set` applied and `cluster.nodes` as started; `{}` where there is no file. */
  config: unknown;
  configFile: string | null;
  /** `--seed`. */
  seed: number | null;
  /** `--resume`: the run to go on with; a name in `runsDir`, `latest`, or a path. null: a new one. */
  resume: string | null;
  /** Absolute path of the folder for `<id>/`. It may not exist yet. */
  runsDir: string;
}

export interface JobContext extends JobInput {
  system: ActorSystem;
  /** Aborts at Ctrl-C or `actors down`: stop at the next good point, keep what is worth keeping, return. */
  signal: AbortSignal;
  debug: boolean;
  /** The newest state of the run: the live table shows it, a terminal that is none gets a line for each step. */
  progress(progress: Progress): void;
  /** One line in the log, above the live table. */
  line(text: string): void;
}

export interface Progress {
  /** Steps done. */
  step: number;
  steps: number;
  /** Such as "warm start", "training", "evaluating". */
  phase: string;
  /** Reward, success, tokens/s, staleness … in the order in which they are shown. */
  fields: Record<string, string | number>;
  etaSeconds: number | null;
}

export interface JobResult {
  /** false ends the command with 1. */
  ok: boolean;
  /** Printed at the end: what came out, where it is, how to go on. */
  summary: string[];
}

/** Imports jobs when they are needed. */
export type Jobs = () => Promise<readonly Job[]>;
