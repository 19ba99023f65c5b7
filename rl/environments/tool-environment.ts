import { ActorsError } from "../../runtime/index.js";
import { byteTokenizer } from "./bytes.js";
import type {
  EnvContext,
  Environment,
  EnvironmentDef,
  Evaluation,
  Script,
  StepResult,
  Tokenizer,
} from "./environment.js";
import { noSandbox, play } from "./play.js";
import { parseCall, schemasOf, type ToolCall, ToolError, type Tools } from "./tools.js";

/** An environment as tasks, the state of an episode, and tools that change it. */
export interface ToolEnvironmentSpec<T, S> {
  name: string;
  maxTurns: number;
  maxActionTokens: number;
  /** Default: bytes, which say everything. */
  tokenizer?: Tokenizer;
  /** The state when an episode begins: plain data, a copy of which is a snapshot. What is random in it comes from the task. */
  start(task: T, context: EnvContext): S | Promise<S>;
  prompt(task: T, state: S): string;
  tools: Tools<T, S>;
  /** The episode also lives in the sandbox: then there is no snapshot. Default: false. */
  sandbox?: boolean;
  /** What is looked at when all is over; `done`: a tool ended it, not the budget. See {@link Environment.evaluate}. */
  evaluate?(call: ToolCall<T, S>, done: boolean): Promise<Evaluation>;
  /** How answers and mistakes are put to the policy. Default: as they are, a mistake after `error: `. */
  say?(observation: string): string;
  mistake?(message: string): string;
  trainTask(seed: number, index: number): T;
  heldOutTasks(): T[];
  /** See {@link EnvironmentDef.fromRow}. */
  fromRow?: EnvironmentDef<T>["fromRow"];
  expert: Script;
  random: Script;
  /** Default: the expert at work. */
  demonstration?: EnvironmentDef<T>["demonstration"];
}

export function toolEnvironment<T, S>(spec: ToolEnvironmentSpec<T, S>): EnvironmentDef<T> {
  const { name, maxTurns, maxActionTokens, expert, random, trainTask, heldOutTasks } = spec;
  const def: EnvironmentDef<T> = {
    ...{ name, maxTurns, maxActionTokens, expert, random, trainTask, heldOutTasks },
    ...(spec.fromRow && { fromRow: spec.fromRow }),
    tokenizer: spec.tokenizer ?? byteTokenizer,
    tools: schemasOf(spec.tools),
    create: () => (spec.sandbox ? new ToolEnvironment(spec) : new OwnEnvironment(spec)),
    demonstration: spec.demonstration ?? ((task, dice) => play(def, task, expert, dice, noSandbox())),
  };
  return def;
}

interface Episode<T, S> {
  task: T;
  state: S;
  turn: number;
  errors: number;
  /** How it ended. */
  end?: "done" | "turns";
}

class ToolEnvironment<T, S> implements Environment<T> {
  readonly #spec: ToolEnvironmentSpec<T, S>;
  readonly evaluate?: (context: EnvContext) => Promise<Evaluation>;
  protected episode: Episode<T, S> | undefined;

  constructor(spec: ToolEnvironmentSpec<T, S>) {
    this.#spec = spec;
    const { evaluate } = spec;
    if (evaluate)
      this.evaluate = async (context) => {
        if (!this.episode) throw new ActorsError("INVALID_ARGUMENT", "evaluate before reset");
        return evaluate({ ...this.episode, context }, this.episode.end === "done");
      };
  }

  async reset(task: T, context: EnvContext): Promise<string> {
    const state = await this.#spec.start(task, context);
    this.episode = { task, state, turn: 0, errors: 0 };
    return this.#say(this.#spec.prompt(task, state));
  }

  async step(action: string, context: EnvContext): Promise<StepResult> {
    const episode = this.episode;
    if (!episode || episode.end) throw new ActorsError("INVALID_ARGUMENT", "step before reset, or after the end");
    episode.turn++;
    const { observation, reward = 0, done = false, info = {} } = await this.#use(action, episode, context);
    const truncated = !done && episode.turn >= this.#spec.maxTurns;
    if (!done && !truncated) return { observation: this.#say(observation), reward, terminated: false, truncated, info };
    episode.end = done ? "done" : "turns";
    const all = { solved: 0, turns: episode.turn, errors: episode.errors, ...info };
    return { observation, reward, terminated: done, truncated, info: all };
  }

  async close(): Promise<void> {
    this.episode = undefined;
  }

  async #use(action: string, episode: Episode<T, S>, context: EnvContext) {
    const { tools, mistake = (message) => `error: ${message}` } = this.#spec;
    try {
      const { tool, input } = parseCall(action, tools);
      const result = await tool.run(input, { ...episode, context });
      return typeof result === "string" ? { observation: result } : result;
    } catch (caught) {
      if (!(caught instanceof ToolError)) throw caught;
      episode.errors++;
      return { observation: mistake(caught.message) };
    }
  }

  #say(observation: string): string {
    return this.#spec.say?.(observation) ?? observation;
  }
}

/** All of whose state is its own. */
class OwnEnvironment<T, S> extends ToolEnvironment<T, S> {
  async snapshot(): Promise<unknown> {
    return structuredClone(this.episode);
  }

  async restore(snapshot: unknown): Promise<void> {
    this.episode = structuredClone(snapshot) as Episode<T, S> | undefined;
  }
}
