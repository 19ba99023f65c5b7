import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ActorsError, withDeadline } from "../../../runtime/index.js";
import { OwnedProcess } from "../owned-process.js";

/** `kind: box` has a number each; null: without bound. Of other kinds there is only the name. */
const space = z.union([
  z.object({ kind: z.literal("discrete"), n: z.int(), start: z.int() }),
  z.object({
    kind: z.literal("box"),
    low: z.array(z.number().nullable()),
    high: z.array(z.number().nullable()),
    whole: z.boolean(),
  }),
  z.object({ kind: z.string() }).transform(({ kind }) => ({ kind: "other" as const, name: kind })),
]);
const made = z.object({
  action: space,
  observation: space,
  /** Gymnasium's time limit; null: none. */
  turns: z.int().nullable(),
  /** Return from which on its makers call it solved. */
  solved: z.number().nullable(),
});
const observed = z.object({ observation: z.array(z.union([z.number(), z.boolean()]).transform(Number)) });
const stepped = observed.extend({ reward: z.number(), terminated: z.boolean(), truncated: z.boolean() });

export type Space = z.output<typeof space>;
export type Made = z.output<typeof made>;
export type Stepped = z.output<typeof stepped>;

export interface PythonOptions {
  /** As `gymnasium.make` takes it, such as `CartPole-v1`; `module:Name-v0` imports a module first. */
  id: string;
  /** Further arguments of `gymnasium.make`. */
  arguments: Record<string, unknown>;
  /** A Python that has gymnasium. */
  python: string;
  startMs: number;
  stepMs: number;
}

const server = fileURLToPath(new URL("../../../../rl/environments/gymnasium/server.py", import.meta.url));

/** One environment in a Python process, one question at a time. */
export class Player implements AsyncDisposable {
  readonly #process: OwnedProcess;
  readonly #options: PythonOptions;
  readonly #done: (player: Player) => Promise<void>;
  #waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  /** Where a question was not answered as it should, it is not known where the environment is. */
  sound = true;

  /** @param done what becomes of it after an episode */
  constructor(options: PythonOptions, done: (player: Player) => Promise<void>) {
    this.#options = options;
    this.#done = done;
    const args = ["-u", "-c", readFileSync(server, "utf8")];
    this.#process = new OwnedProcess(`gymnasium's ${options.id}`, { command: options.python, args });
    this.#process.onLine = (line) => this.#waiting?.resolve(line);
    this.#process.onEnd = (error) => this.#waiting?.reject(error);
  }

  /** @throws ActorsError INVALID_ARGUMENT where gymnasium cannot make it, UNAVAILABLE where Python ended */
  async make(): Promise<Made> {
    const { id, python, startMs } = this.#options;
    try {
      return await this.#ask({ make: { id, arguments: this.#options.arguments } }, made, startMs);
    } catch (cause) {
      if (!(cause instanceof RefusedByPython)) throw cause;
      throw new ActorsError("INVALID_ARGUMENT", `gymnasium cannot make ${id}: ${cause.message}`, {
        hint: `Python is ${python}: ACTORS_PYTHON names another one that has gymnasium.`,
      });
    }
  }

  async reset(seed: number, signal: AbortSignal): Promise<number[]> {
    return (await this.#play({ reset: seed }, observed, signal)).observation;
  }

  step(action: readonly number[], signal: AbortSignal): Promise<Stepped> {
    return this.#play({ step: action }, stepped, signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#done(this);
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  async #play<R extends z.ZodType>(question: object, answer: R, signal: AbortSignal): Promise<z.output<R>> {
    try {
      return await this.#ask(question, answer, this.#options.stepMs, signal);
    } catch (cause) {
      if (cause instanceof RefusedByPython) throw this.#process.error(cause.message);
      throw cause;
    }
  }

  async #ask<R extends z.ZodType>(question: object, answer: R, ms: number, signal?: AbortSignal): Promise<z.output<R>> {
    this.sound = false;
    const line = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    line.catch(() => {}); // after a deadline nobody hears it
    this.#process.send(JSON.stringify(question));
    const what = `${Object.keys(question)[0]} of gymnasium's ${this.#options.id}`;
    const told = JSON.parse(await withDeadline(line, ms, what, signal)) as { error?: string };
    if (told.error !== undefined) throw new RefusedByPython(told.error);
    const parsed = answer.parse(told);
    this.sound = true;
    return parsed;
  }
}

/** An exception in Python. */
class RefusedByPython extends Error {}

const idleMs = 10_000;

/** Python takes a second to start: a player whose episode has ended is kept for a while for the next one. */
export class Players {
  readonly #options: PythonOptions;
  readonly #idle: { player: Player; timer: NodeJS.Timeout }[] = [];

  constructor(options: PythonOptions) {
    this.#options = options;
  }

  /** What the environment is. The player that told it is kept for the first episode. */
  async describe(): Promise<Made> {
    const { player, made } = await this.#start();
    this.#keep(player);
    return made;
  }

  async take(): Promise<Player> {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    return idle?.player ?? (await this.#start()).player;
  }

  async #start(): Promise<{ player: Player; made: Made }> {
    const player = new Player(this.#options, (each) => this.#giveBack(each));
    try {
      return { player, made: await player.make() };
    } catch (error) {
      await player.end();
      throw error;
    }
  }

  async #giveBack(player: Player): Promise<void> {
    if (player.sound && this.#idle.length < availableParallelism()) this.#keep(player);
    else await player.end();
  }

  #keep(player: Player): void {
    const entry = {
      player,
      timer: setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(entry), 1);
        player.end().catch(() => {}); // its owner's end ends it all the same
      }, idleMs).unref(),
    };
    this.#idle.push(entry);
  }
}
