import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppendLog } from "./append-log.js";

interface Opened {
  log: AppendLog;
  records: Buffer[];
}

const fileName = (step: number) => `step-${String(step).padStart(6, "0")}.log`;

/**
 * Finished episodes as they arrived, a file for each step that asked for them. An episode counts once it is here; the file goes
 * when every episode of it is trained on or dropped and a saved state of the learner covers that.
 */
export class EpisodeStore {
  readonly #folder: string;
  readonly #logs = new Map<number, Promise<Opened>>();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Resolves when it is on disk. */
  async store(step: number, bytes: Uint8Array): Promise<void> {
    const { log } = await this.#open(step);
    await log.append(bytes);
  }

  /** Those that were there when this store was opened. */
  async read(step: number): Promise<readonly Uint8Array[]> {
    return (await this.#open(step)).records;
  }

  /** Episodes that steps before this one asked for are no longer needed. */
  async removeBelow(step: number): Promise<void> {
    for (const name of readdirSync(this.#folder)) {
      const of = Number(/^step-(\d+)\.log$/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
      if (of >= step) continue;
      await (await this.#logs.get(of))?.log.close();
      this.#logs.delete(of);
      rmSync(join(this.#folder, name));
    }
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#logs.values());
    for (const each of opened) if (each.status === "fulfilled") await each.value.log.close();
  }

  #open(step: number): Promise<Opened> {
    const found = this.#logs.get(step) ?? AppendLog.open(join(this.#folder, fileName(step)));
    this.#logs.set(step, found);
    return found;
  }
}
