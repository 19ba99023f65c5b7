import type { Cell } from "../core/cell.js";
import { encodeValue } from "../core/codec.js";
import type { ActorId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import { withDeadline } from "../core/wait.js";
import type { Snapshots } from "../directory/snapshots.js";

const saveMs = 20_000; // longer than the store itself rides out a lost server

/** Keeps the state of one incarnation: soon after a handler ran, when asked, and at its end. */
export class Keeper {
  readonly #at: { id: ActorId; epoch: number; what: string };
  readonly #snapshots: Snapshots;
  readonly #take: () => unknown;
  readonly #everyMs: number;
  readonly #cell: Pick<Cell, "between">;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    at: { id: ActorId; epoch: number; what: string },
    on: { snapshots: Snapshots; take: () => unknown; everyMs: number; cell: Pick<Cell, "between">; log: Logger },
  ) {
    this.#at = at;
    this.#snapshots = on.snapshots;
    this.#take = on.take;
    this.#everyMs = on.everyMs;
    this.#cell = on.cell;
    this.#log = on.log;
  }

  /** A handler has run: what it may have changed is kept within the interval. */
  touched(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => void this.#between(), this.#everyMs);
    this.#timer.unref();
  }

  /** The state as it is now. Resolves once it is kept. @throws what `snapshot` throws; ActorsError of the store */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const state = encodeValue(await this.#take()).slice();
    const { id, epoch, what } = this.#at;
    const write = () => this.#snapshots.save(id, epoch, state);
    const mine = this.#last.then(write, write); // in the order they were taken
    this.#last = mine;
    await withDeadline(mine, saveMs, `the snapshot of ${what}`);
  }

  /** Once the handlers are done. */
  async close(): Promise<void> {
    this.#closed = true;
    const changed = this.#timer !== undefined;
    await (changed ? this.save() : this.#last).catch((err: unknown) => this.#failed(err));
  }

  async #between(): Promise<void> {
    await this.#cell.between(() => this.save().catch((err: unknown) => this.#failed(err)));
  }

  #failed(err: unknown): void {
    this.#log.warn({ err }, "its state could not be kept; the one before still is");
    if (!this.#closed) this.touched();
  }
}
