import type { Message, SkyRow } from "../data/row.js";
import type { Image } from "../sandbox/backend.js";
import type { Sandbox } from "../sandbox/sandbox.js";

export type { Message, Sandbox };

/** Uniform in [0, 1); see random.ts. */
export type Random = () => number;

/** Text and token ids. `decode` leaves `eos` out; otherwise `encode(decode(ids))` gives the ids back. */
export interface Tokenizer {
  readonly vocabSize: number;
  /** Ends an action. */
  readonly eos: number;
  encode(text: string): Int32Array;
  decode(ids: Int32Array): string;
  /** What a token adds to a text, where that need not be whole characters. */
  bytes?(id: number): Uint8Array;
}

/** What the policy is told first. */
export interface Opening {
  prompt: string;
  /** The same as a conversation, for models with a chat template. Default: one message, of the user. */
  messages?: readonly Message[] | undefined;
}

/** How a conversation becomes token ids. What the policy sampled is never encoded: it goes on as it was sampled. */
export interface Dialogue {
  open(opening: Opening): Int32Array;
  /** What the policy reads between an action and its next. `ended`: the action's last token is the tokenizer's `eos`. */
  answer(observation: string, ended: boolean): Int32Array;
}

export interface EnvContext {
  sandbox: Sandbox;
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

/** What is found when an episode is over. */
export interface Evaluation {
  /** Beside what its steps earned; counts for the last one. */
  reward: number;
  info: Record<string, number>;
}

/**
 * One episode at a time: reset, then steps until one is terminated or truncated. Whatever goes wrong by the policy's doing is an
 * observation and a reward; a lost sandbox or a deadline of ours is thrown (ActorsError, retryable), never a reward of 0.
 */
export interface Environment<T> {
  /** Prepares the sandbox and returns the prompt. */
  reset(task: T, context: EnvContext): Promise<string>;
  /** What `reset` returned, see {@link Opening}. */
  messages?(): readonly Message[];
  step(action: string, context: EnvContext): Promise<StepResult>;
  /**
   * Grades the episode when the policy has had its last turn, however that ended. In a rollout it is a stage of its own, so that slow
   * tests do not hold up those who act.
   */
  evaluate?(context: EnvContext): Promise<Evaluation>;
  close(): Promise<void>;
  /** The episode as plain data, to go on from later or elsewhere. Only where all state is the environment's own. */
  snapshot?(): Promise<unknown>;
  restore?(snapshot: unknown): Promise<void>;
}

/**
 * A player written by hand, who knows what the policy is told and no more: given the prompt, yields actions and gets their
 * observations. It is asked for no further action once the episode has ended.
 */
export type Script = (prompt: string, random: Random) => Generator<string, void, string>;

/** A tool as chat templates take it. */
export interface ToolSchema {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** An episode written by a script. Its text, action after observation, is what the same actions yield in the environment. */
export interface Demonstration extends Opening {
  turns: { action: string; observation: string }[];
}

/** What the trainer knows of an environment. Tasks are plain data: they travel between actors. */
export interface EnvironmentDef<T = unknown> {
  readonly name: string;
  /** Of fresh models, and of checkpoints without a tokenizer of their own. */
  readonly tokenizer: Tokenizer;
  /** Default: the texts as they are, one after another. */
  readonly dialogue?: Dialogue | undefined;
  readonly maxTurns: number;
  /** Tokens of one action, with its `eos`. */
  readonly maxActionTokens: number;
  /** For the model's chat template. */
  readonly tools?: readonly ToolSchema[];
  /** Solves its tasks. */
  readonly expert?: Script;
  /** Acts by chance: what an untrained policy that knows the tools would get. */
  readonly random?: Script;
  create(): Environment<T>;
  /** What the sandbox of a task starts from. Only where tasks have images: docker and podman do. */
  image?(task: T): Image;
  /**
   * The task of a row of `data.train_data` or `data.val_data`, and the prompt that it will give. Only where rows can be played.
   * @throws an Error that says what the row lacks
   */
  fromRow?(row: SkyRow): { task: T } & Opening;
  /** The same task for the same arguments, on any machine. */
  trainTask(seed: number, index: number): T;
  /** Never a train task of any seed. */
  heldOutTasks(): T[];
  demonstration(task: T, random: Random): Demonstration | Promise<Demonstration>;
  /** For `gym verify`: looks at every task by itself, in several sandboxes at once. What is wrong, a sentence each; `told` hears how far it is. */
  inspect?(contexts: readonly EnvContext[], told: (line: string) => void): Promise<string[]>;
}
