import { type ForkOptions, Sandbox, type SnapshotId } from "./sandbox.js";
import type { Op, OpResult, RunOptions } from "./session.js";

/** A sandbox that is opened when it is first used. */
export class LazySandbox extends Sandbox {
  readonly id: string;
  readonly #open: () => Promise<Sandbox>;
  #opened: Promise<Sandbox> | undefined;

  constructor(id: string, open: () => Promise<Sandbox>) {
    super();
    this.id = id;
    this.#open = open;
  }

  async run(ops: readonly Op[], options?: RunOptions): Promise<OpResult[]> {
    return (await this.#sandbox).run(ops, options);
  }

  async snapshot(): Promise<SnapshotId> {
    return (await this.#sandbox).snapshot();
  }

  async fork(options?: ForkOptions): Promise<Sandbox> {
    return (await this.#sandbox).fork(options);
  }

  async release(): Promise<void> {
    await (await this.#opened)?.release();
  }

  get #sandbox(): Promise<Sandbox> {
    this.#opened ??= this.#open();
    return this.#opened;
  }
}
