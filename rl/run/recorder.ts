import { existsSync } from "node:fs";
import { join } from "node:path";
import { Piscina } from "piscina";
import { diskError } from "./disk.js";
import type { RecordTask } from "./record-worker.js";

/** Steps that may wait to be written; then the trainer waits, so that a slow disk cannot fill the memory. */
const maxWaiting = 4;

/** Writes the trajectories of each step to a file, decoded and compressed in a worker thread: that is pure CPU work. */
export class TrajectoryRecorder {
  readonly #folder: string;
  readonly #pool = new Piscina<RecordTask, void>({
    filename: new URL("./record-worker.js", import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
  readonly #waiting = new Set<Promise<void>>();
  #failure: unknown;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws ActorsError UNAVAILABLE when this or an earlier step could not be written */
  async record(step: number, trajectories: readonly Uint8Array[]): Promise<void> {
    const file = this.#fileOf(step);
    const writing = this.#pool.run({ file, trajectories: [...trajectories] }).then(
      () => {},
      (error: unknown) => {
        this.#failure ??= diskError(file, error);
      },
    );
    this.#waiting.add(writing);
    void writing.then(() => this.#waiting.delete(writing));
    if (this.#waiting.size > maxWaiting) await Promise.race(this.#waiting);
    this.#check();
  }

  has(step: number): boolean {
    return existsSync(this.#fileOf(step));
  }

  /** Resolves when all so far is on disk. @throws as {@link record} */
  async flush(): Promise<void> {
    await Promise.all(this.#waiting);
    this.#check();
  }

  /** Resolves when all is on disk. */
  async close(): Promise<void> {
    await Promise.all(this.#waiting);
    await this.#pool.destroy();
    this.#check();
  }

  #fileOf(step: number): string {
    return join(this.#folder, `step-${String(step).padStart(6, "0")}.jsonl.gz`);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
