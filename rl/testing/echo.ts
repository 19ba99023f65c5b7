import { ActorsError } from "../../runtime/index.js";
import type { Environment, EnvironmentDef } from "../environments/environment.js";

const words = ["<eos>", "say", "0", "1", "2", "3"];

export interface EchoTask {
  word: string;
  /** Times that the episode is lost before it can be played: an infrastructure failure. */
  losses?: number;
  /** The environment's code throws. */
  broken?: boolean;
}

const lost = new Map<string, number>();

class Echo implements Environment<EchoTask> {
  #task: EchoTask | undefined;

  async reset(task: EchoTask): Promise<string> {
    this.#task = task;
    if (task.broken) throw new TypeError("a mistake in the environment");
    const key = JSON.stringify(task);
    const before = lost.get(key) ?? 0;
    if (before < (task.losses ?? 0)) {
      lost.set(key, before + 1);
      throw new ActorsError("UNAVAILABLE", "the sandbox broke");
    }
    return `say ${task.word}`;
  }

  async step(action: string) {
    const reward = Number(action === this.#task!.word);
    return {
      observation: "",
      reward,
      potential: (1 + reward) / 2,
      terminated: true,
      truncated: false,
      info: { solved: reward },
    };
  }

  async close(): Promise<void> {}
}

/** The smallest environment: one action, right when it repeats the word of the prompt. For tests. */
export const echo: EnvironmentDef<EchoTask> = {
  name: "echo",
  maxTurns: 1,
  maxActionTokens: 2,
  tokenizer: {
    vocabSize: words.length,
    eos: 0,
    encode: (text) => Int32Array.from(text.split(" ").filter(Boolean), (word) => words.indexOf(word)),
    decode: (ids) =>
      Array.from(
        ids.filter((id) => id !== 0),
        (id) => words[id],
      ).join(" "),
  },
  create: () => new Echo(),
  fromRow: ({ prompt, reward_spec }) => ({
    task: { word: String(reward_spec.ground_truth) },
    prompt: prompt.at(-1)!.content,
  }),
  trainTask: (seed, index) => ({ word: String((seed + index) % 4) }),
  heldOutTasks: () => ["0", "1", "2", "3"].map((word) => ({ word })),
  demonstration: (task, random) => ({
    prompt: `say ${task.word}`,
    turns: [{ action: String(Math.floor(random() * 4)), observation: "" }],
  }),
};

export const echoModule = import.meta.url;
