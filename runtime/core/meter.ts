import type { ActorsError } from "./errors.js";

const keptErrors = 5;
const keptTimes = 64;

/** An error that a handler threw. */
export interface CallError {
  /** Unix milliseconds. */
  at: number;
  method: string;
  code: string;
  message: string;
}

/** What one incarnation has done, in plain numbers: counting a call allocates nothing. */
export class Meter {
  /** Handlers that have ended, also by an error. */
  handled = 0;
  failed = 0;
  /** Calls that never reached a handler: the mailbox was full, the actor stopped, no such method, nobody waited any more. */
  refused = 0;
  /** All handlers' time together, streams left out. */
  busyMs = 0;
  #times: Float32Array | undefined;
  #timed = 0;
  readonly #errors: CallError[] = [];

  took(ms: number): void {
    this.busyMs += ms;
    this.#times ??= new Float32Array(keptTimes);
    this.#times[this.#timed++ % keptTimes] = ms;
  }

  fail(method: string, error: ActorsError): void {
    this.failed++;
    const { code, rawMessage: message } = error;
    if (this.#errors.push({ at: Date.now(), method, code, message }) > keptErrors) this.#errors.shift();
  }

  /** The last five, oldest first. */
  get errors(): CallError[] {
    return [...this.#errors];
  }

  /** Milliseconds that the median of the last 64 timed handlers took; null before the first. */
  get medianMs(): number | null {
    if (this.#timed === 0) return null;
    const times = this.#times!.slice(0, Math.min(this.#timed, keptTimes)).sort();
    return times[times.length >> 1]!;
  }
}
