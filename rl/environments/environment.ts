import type { SandboxSession } from "../sandbox/session.js";

export type { SandboxSession };

/** Uniform in [0, 1); see random.ts. */
export type Random = () => number;

/** Text and token ids. `decode` leaves `eos` out; otherwise `encode(decode(ids))` gives the ids back. */
export interface Tokenizer {
  readonly vocabSize: number;
  /** Ends an action. */
  readonly eos: number;
  encode(text: string): Int32Array;
  decode(ids: Int32Array): string;
}

export interface EnvContext {
  sandbox: SandboxSession;
  signal: AbortSignal;
}

export interface StepResult {
  /** What the policy reads next; ends where its next action begins. */
  observation: string;
  reward: number;
  /** How far the milestones reached lead, 0 to 1; see `potentialOf`. Rewarded only with `trainer.algorithm.milestone_shaping`. */
  potential?: number;
  /** The task came to its end. */
  terminated: boolean;
  /** The budget ran out first. */
  truncated: boolean;
  /** Numbers for the metrics, averaged over episodes. */
  info: Record<string, number>;
}

/**
 * One episode at a time: reset, then steps until one is terminated or truncated. Whatever goes wrong by the policy's doing is an
 * observation and a reward; a lost sandbox or a deadline of ours is thrown (ActorsError, retryable), never a reward of 0.
 */
export interface Environment<T> {
  /** Prepares the sandbox and returns the prompt. */
  reset(task: T, context: EnvContext): Promise<string>;
  step(action: string, context: EnvContext): Promise<StepResult>;
  close(): Promise<void>;
}

/** An episode written by a script. Its text, action after observation, is what the same actions yield in the environment. */
export interface Demonstration {
  prompt: string;
  turns: { action: string; observation: string }[];
}

/** What the trainer knows of an environment. Tasks are plain data: they travel between actors. */
export interface EnvironmentDef<T = unknown> {
  readonly name: string;
  readonly tokenizer: Tokenizer;
  readonly maxTurns: number;
  /** Tokens of one action, with its `eos`. */
  readonly maxActionTokens: number;
  create(): Environment<T>;
  /** The same task for the same arguments, on any machine. */
  trainTask(seed: number, index: number): T;
  /** Never a train task of any seed. */
  heldOutTasks(): T[];
  demonstration(task: T, random: Random): Demonstration;
}
