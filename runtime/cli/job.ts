import type { ActorSystem } from "../system.js";

/**
 * What `actors up` runs on the cluster it started. The configuration file names it by `job:`; without a file, or without
 * that key, the first job given to `createCli` runs.
 */
export interface Job {
  name: string;
  /** One line for `actors up --help`. */
  describe: string;
  /** What it throws is shown as one sentence (the hint of an ActorsError is shown too) and ends the command with 1. */
  run(context: JobContext): Promise<JobResult>;
}

export interface JobContext {
  system: ActorSystem;
  /** The YAML document with `--set` applied, without the keys `job` and `nodes`, which the command line reads. {} without a file. */
  config: unknown;
  configFile: string | null;
  /** `--seed`. */
  seed: number | null;
  /** Aborts at Ctrl-C or `actors down`: stop at the next good point, keep what is worth keeping, return. */
  signal: AbortSignal;
  /** Absolute path of the folder for `<id>/`. It may not exist yet. */
  runsDir: string;
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
