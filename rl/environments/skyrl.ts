import { ActorsError } from "../../runtime/index.js";
import { Epochs } from "../data/order.js";
import { type Message, type SkyRow, skyRow } from "../data/row.js";
import { byteTokenizer } from "./bytes.js";
import type { Environment, EnvironmentDef, Script, StepResult, Tokenizer } from "./environment.js";
import { readJsonLines } from "./json-lines.js";
import { demonstrate } from "./tool-environment.js";

export type { Message, SkyRow } from "../data/row.js";

/** SkyRL-gym's contract of a text environment, for one episode. */
export interface SkyEnv {
  init(prompt: Message[]): Promise<[prompt: Message[], metadata: Record<string, unknown>]>;
  step(
    action: string,
  ): Promise<{ observations: Message[]; reward: number; done: boolean; metadata: Record<string, unknown> }>;
  close(): Promise<void>;
}

/** The rows of a JSONL file. @throws ActorsError INVALID_ARGUMENT naming the file, the line and the column that is wrong */
export const readSkyRows = (file: string): SkyRow[] => readJsonLines(file, skyRow);

export interface SkyOptions {
  name: string;
  /** What SkyRL finds under `env_class`. */
  make(row: SkyRow): SkyEnv;
  /** Its own rows; those of `data.train_data` and `data.val_data` take their place. */
  train?: readonly SkyRow[];
  heldOut?: readonly SkyRow[];
  maxTurns: number;
  maxActionTokens: number;
  tokenizer?: Tokenizer;
  /** How messages become text where the model has no chat template. Default: their contents, a line break between two. */
  render?(messages: readonly Message[]): string;
  expert?: Script;
  random?: Script;
}

/** An environment of SkyRL-gym's kind. An epoch takes each train row once, in an order of its own. */
export function skyEnvironment(options: SkyOptions): EnvironmentDef<SkyRow> {
  const { name, train, heldOut = [], maxTurns, maxActionTokens, expert, random } = options;
  if (train?.length === 0) throw new ActorsError("INVALID_ARGUMENT", `${name} has no train rows`);
  const epochs = new Epochs(train?.length ?? 0, true);
  const def: EnvironmentDef<SkyRow> = {
    ...{ name, maxTurns, maxActionTokens, ...(expert && { expert }), ...(random && { random }) },
    tokenizer: options.tokenizer ?? byteTokenizer,
    create: () => new SkyEnvironment(options),
    fromRow: (task) => ({ task, prompt: renderWith(options, task.prompt), messages: task.prompt }),
    trainTask: (seed, index) => {
      if (train) return train[epochs.at(seed, index)]!;
      throw new ActorsError("INVALID_ARGUMENT", `${name} has no rows of its own: name some in data.train_data`);
    },
    heldOutTasks: () => [...heldOut],
    demonstration: (task, dice) => demonstrate(def, task, dice),
  };
  return def;
}

class SkyEnvironment implements Environment<SkyRow> {
  readonly #options: SkyOptions;
  #env: SkyEnv | undefined;
  #messages: readonly Message[] = [];
  #turn = 0;

  constructor(options: SkyOptions) {
    this.#options = options;
  }

  async reset(task: SkyRow): Promise<string> {
    await this.close();
    this.#turn = 0;
    this.#env = this.#options.make(task);
    [this.#messages] = await this.#env.init(structuredClone(task.prompt));
    return this.#render(this.#messages);
  }

  messages(): readonly Message[] {
    return this.#messages;
  }

  async step(action: string): Promise<StepResult> {
    if (!this.#env) throw new ActorsError("INVALID_ARGUMENT", "step before reset");
    const { observations, reward, done, metadata } = await this.#env.step(action);
    const truncated = !done && ++this.#turn >= this.#options.maxTurns;
    const numbers = Object.entries(metadata).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
    const info = Object.fromEntries(numbers);
    return { observation: this.#render(observations), reward, terminated: done, truncated, info };
  }

  async close(): Promise<void> {
    const env = this.#env;
    this.#env = undefined;
    await env?.close();
  }

  #render(messages: readonly Message[]): string {
    return renderWith(this.#options, messages);
  }
}

function renderWith({ render }: SkyOptions, messages: readonly Message[]): string {
  return render?.(messages) ?? messages.map(({ content }) => content).join("\n");
}
