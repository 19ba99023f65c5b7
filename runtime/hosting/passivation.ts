import { coordinatorHandle } from "../cluster/protocol.js";
import type { Cell } from "../core/cell.js";
import { ActorsError } from "../core/errors.js";
import type { Runtime } from "../core/runtime.js";
import { pause } from "../core/wait.js";
import type { Keeper } from "./keeper.js";

const askMs = 30_000;
const askAgainMs = 500;
const wokenMs = 1_000; // that the call which woke it may take to come here
const lingerMs = 100; // what was sent before its sender heard of it comes within this time, and is given back

/** Lets an actor without calls become passive. See docs/decisions/009-passivation.md. */
export class Passivation {
  readonly #afterMs: number;
  readonly #cell: Cell;
  readonly #keeper: Keeper;
  readonly #runtime: Runtime;
  readonly #log: Runtime["log"];
  readonly #stopped = new AbortController();
  #usedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #asked = false;
  #failed = false;
  /** Has been woken, and not been called yet. */
  #fresh: boolean;

  constructor(on: {
    afterMs: number;
    woken: boolean;
    cell: Cell;
    keeper: Keeper;
    runtime: Runtime;
    log: Runtime["log"];
  }) {
    this.#afterMs = on.afterMs;
    this.#cell = on.cell;
    this.#keeper = on.keeper;
    this.#runtime = on.runtime;
    this.#log = on.log;
    this.#fresh = on.woken;
    this.#wait(this.#fresh ? Math.max(wokenMs, this.#afterMs) : this.#afterMs);
  }

  /** A handler has run. */
  touched(): void {
    this.#usedAt = performance.now();
    if (!this.#fresh) return;
    this.#fresh = false;
    clearTimeout(this.#timer);
    this.#wait(this.#afterMs);
  }

  /**
   * The incarnation is being stopped.
   * @returns whether for this; then its calls have been given back, and there are none to wait for
   */
  async stop(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#stopped.abort();
    if (!this.#asked) return false;
    await pause(lingerMs);
    return true;
  }

  #wait(ms: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const left = this.#usedAt + this.#afterMs - performance.now();
    if (left > 0) return this.#wait(left);
    if (!this.#holdsObjects() && this.#cell.close()) {
      const refused = await this.#rest();
      if (refused === undefined || this.#stopped.signal.aborted) return;
      this.#log.debug(`stays active: ${refused}`);
      this.#cell.open();
    }
    this.#wait(this.#afterMs);
  }

  /** With the mailbox closed. @returns why it stays, or undefined when it will be stopped */
  async #rest(): Promise<string | undefined> {
    try {
      await this.#keeper.save();
      this.#failed = false;
    } catch (err) {
      if (!this.#failed) this.#log.warn({ err }, "it is idle but stays active, for its state could not be kept");
      this.#failed = true; // told once
      return "its state could not be kept";
    }
    if (this.#cell.knocked) return "it was called meanwhile";
    const { signal } = this.#stopped;
    if (signal.aborted) return "it is being stopped";
    this.#asked = true;
    const { rest } = coordinatorHandle(this.#runtime.endpoint.calls);
    // Without an answer it may be passive already in the directory: it must not serve until one comes.
    for (; !signal.aborted; await pause(askAgainMs, signal)) {
      try {
        const { refused } = await rest.with({ timeoutMs: askMs, signal })(this.#cell.id, this.#cell.epoch);
        if (refused !== undefined) this.#asked = false;
        return refused;
      } catch (error) {
        if (signal.aborted) break;
        this.#log.warn({ err: ActorsError.from(error) }, "no coordinator says whether it becomes passive");
      }
    }
    return undefined;
  }

  #holdsObjects(): boolean {
    return this.#runtime.objects.list().own.some(({ owner }) => owner === this.#cell.id);
  }
}
