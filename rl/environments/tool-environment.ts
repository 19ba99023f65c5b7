import { ActorsError } from "../../runtime/index.js";
import { byteTokenizer } from "./bytes.js";
import type {
  Demonstration,
  EnvContext,
  Environment,
  EnvironmentDef,
  Evaluation,
  Random,
  Script,
  StepResult,
  Tokenizer,
} from "./environment.js";
import { noSandbox, play } from "./play.js";
import { parseCall, schemasOf, type ToolCall, ToolError, type ToolResult, type Tools } from "./tools.js";

/** An environment as tasks, the state of an episode, and tools that change it. */
export interface ToolEnvironmentSpec<T, S, R = undefined> {
  name: string;
  maxTurns: number;
  maxActionTokens: number;
  /** Default: bytes, which say everything. */
  tokenizer?: Tokenizer;
  /** Opens what an episode needs that is no plain data, such as a process or a connection. It is disposed of with the episode. */
  open?(task: T, context: EnvContext): Promise<R & AsyncDisposable>;
  /** The state when an episode begins: plain data, a copy of which is a snapshot. What is random in it comes from the task. */
  start(task: T, context: EnvContext, opened: R): S | Promise<S>;
  prompt(task: T, state: S): string;
  tools: Tools<T, S, R>;
  /** The episode also lives in the sandbox: then, as with `open`, there is no snapshot. Default: false. */
  sandbox?: boolean;
  /** What is looked at when all is over; `done`: a tool ended it, not the budget. See {@link Environment.evaluate}. */
  evaluate?(call: ToolCall<T, S, R>, done: boolean): Promise<Evaluation>;
  /** How answers and mistakes are put to the policy. Default: as they are, a mistake after `error: `. */
  say?(observation: string): string;
  mistake?(message: string): string;
  trainTask(seed: number, index: number): T;
  heldOutTasks(): T[];
  /** See {@link EnvironmentDef.fromRow}. */
  fromRow?: EnvironmentDef<T>["fromRow"];
  /** Without it there is nothing to demonstrate. */
  expert?: Script;
  random?: Script;
  /** Whom a warm start imitates: acts in every way there is, badly, so that there is something to find out. Default: the expert. */
  beginner?: Script;
  /** Default: the beginner at work. */
  demonstration?: EnvironmentDef<T>["demonstration"];
}

export function toolEnvironment<T, S, R = undefined>(spec: ToolEnvironmentSpec<T, S, R>): EnvironmentDef<T> {
  const { name, maxTurns, maxActionTokens, expert, random, trainTask, heldOutTasks } = spec;
  const def: EnvironmentDef<T> = {
    ...{ name, maxTurns, maxActionTokens, trainTask, heldOutTasks },
    ...(expert && { expert }),
    ...(random && { random }),
    ...(spec.fromRow && { fromRow: spec.fromRow }),
    tokenizer: spec.tokenizer ?? byteTokenizer,
    tools: schemasOf(spec.tools),
    create: () => (spec.sandbox || spec.open ? new ToolEnvironment(spec) : new OwnEnvironment(spec)),
    demonstration: spec.demonstration ?? ((task, dice) => demonstrate(def, task, dice, spec.beginner)),
  };
  return def;
}

/** @throws ActorsError INVALID_ARGUMENT where there is no script */
export function demonstrate<T>(
  def: EnvironmentDef<T>,
  task: T,
  dice: Random,
  script = def.expert,
): Promise<Demonstration> {
  if (script) return play(def, task, script, dice, noSandbox());
  throw new ActorsError("INVALID_ARGUMENT", `${def.name} has no expert to demonstrate it`, {
    hint: "Set trainer.warm_start.steps to 0.",
  });
}

interface Episode<T, S> {
  task: T;
  state: S;
  turn: number;
  errors: number;
  /** As a tool told it last. */
  potential?: number;
  /** How it ended. */
  end?: "done" | "turns";
}

class ToolEnvironment<T, S, R> implements Environment<T> {
  readonly #spec: ToolEnvironmentSpec<T, S, R>;
  #opened: (R & AsyncDisposable) | undefined;
  readonly evaluate?: (context: EnvContext) => Promise<Evaluation>;
  protected episode: Episode<T, S> | undefined;

  constructor(spec: ToolEnvironmentSpec<T, S, R>) {
    this.#spec = spec;
    const { evaluate } = spec;
    if (evaluate)
      this.evaluate = async (context) => {
        if (!this.episode) throw new ActorsError("INVALID_ARGUMENT", "evaluate before reset");
        return evaluate(this.#call(this.episode, context), this.episode.end === "done");
      };
  }

  async reset(task: T, context: EnvContext): Promise<string> {
    await this.close();
    this.#opened = await this.#spec.open?.(task, context);
    const state = await this.#spec.start(task, context, this.#opened as R);
    this.episode = { task, state, turn: 0, errors: 0 };
    return this.#say(this.#spec.prompt(task, state));
  }

  async step(action: string, context: EnvContext): Promise<StepResult> {
    const episode = this.episode;
    if (!episode || episode.end) throw new ActorsError("INVALID_ARGUMENT", "step before reset, or after the end");
    episode.turn++;
    const result = await this.#use(action, episode, context);
    const { observation, reward = 0, potential = episode.potential, done = false, info = {} } = result;
    if (potential !== undefined) episode.potential = potential;
    const truncated = !done && (result.truncated === true || episode.turn >= this.#spec.maxTurns);
    const step = { reward, terminated: done, truncated, ...(potential !== undefined && { potential }) };
    if (!done && !truncated) return { ...step, observation: this.#say(observation), info };
    episode.end = done ? "done" : "turns";
    return { ...step, observation, info: { solved: 0, turns: episode.turn, errors: episode.errors, ...info } };
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.episode = undefined;
    this.#opened = undefined;
    await opened?.[Symbol.asyncDispose]();
  }

  #call({ task, state }: Episode<T, S>, context: EnvContext): ToolCall<T, S, R> {
    return { task, state, opened: this.#opened as R, context };
  }

  async #use(action: string, episode: Episode<T, S>, context: EnvContext): Promise<Exclude<ToolResult, string>> {
    const { tools, mistake = (message) => `error: ${message}` } = this.#spec;
    try {
      const { tool, input } = parseCall(action, tools);
      const result = await tool.run(input, this.#call(episode, context));
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
class OwnEnvironment<T, S, R> extends ToolEnvironment<T, S, R> {
  async snapshot(): Promise<unknown> {
    return structuredClone(this.episode);
  }

  async restore(snapshot: unknown): Promise<void> {
    this.episode = structuredClone(snapshot) as Episode<T, S> | undefined;
  }
}
