import { ActorsError, withDeadline } from "../../runtime/index.js";

/** Lets `places` be taken at once, more in order of arrival. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Takes a place. Gives what gives it back.
   * @param what is waited for, for the error
   * @throws ActorsError DEADLINE_EXCEEDED, retryable, or CANCELLED by the signal
   */
  async enter(signal: AbortSignal, timeoutMs: number, what: string): Promise<() => void> {
    if (signal.aborted) throw new ActorsError("CANCELLED", `${what} was cancelled`, { cause: signal.reason });
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal, timeoutMs, what);
    let held = true;
    return () => {
      if (held) this.#giveBack();
      held = false;
    };
  }

  async #turn(signal: AbortSignal, timeoutMs: number, what: string): Promise<void> {
    let called: () => void = () => {};
    const turn = new Promise<void>((resolve) => {
      called = resolve;
    });
    this.#waiting.add(called);
    try {
      await withDeadline(turn, timeoutMs, what, signal);
    } catch (error) {
      if (!this.#waiting.delete(called)) this.#giveBack(); // its turn had come already
      throw error;
    }
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
