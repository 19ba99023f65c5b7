import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const names = { SIGINT: "Ctrl-C", SIGTERM: "SIGTERM", SIGHUP: "the terminal was closed" };

/** The first signal asks to stop, the second forces. Output that nobody reads any more asks to stop too. */
export class Interrupts {
  readonly #abort = new AbortController();
  readonly #force: (exitCode: number) => void;
  /** 128 + the signal's number; null while there was none. */
  exitCode: number | null = null;
  readonly #heard = new Map<string, () => void>();
  readonly #unread = () => {
    this.exitCode ??= 128 + constants.signals.SIGPIPE;
    this.stop("nobody reads the output");
  };

  constructor(force: (exitCode: number) => void) {
    this.#force = force;
    for (const name of signals) {
      const hear = () => this.#hear(name);
      this.#heard.set(name, hear);
      process.on(name, hear);
    }
    process.stdout.on("error", this.#unread);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Stops as a signal would; a failure has its own exit code. */
  stop(why: string): void {
    this.#abort.abort(why);
  }

  close(): void {
    for (const [name, hear] of this.#heard) process.off(name, hear);
    process.stdout.off("error", this.#unread);
  }

  #hear(name: (typeof signals)[number]): void {
    const exitCode = 128 + constants.signals[name];
    if (this.#abort.signal.aborted) return this.#force(exitCode);
    this.exitCode = exitCode;
    this.#abort.abort(names[name]);
  }
}
