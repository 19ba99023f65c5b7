import { ActorsError } from "../core/errors.js";

const everyMs = 1_000;

/**
 * Words for one-way messages that failed, which no one waits for. The first is told at once; after that at most one a
 * second, with the number of those in between: a flood of bad messages must not become a flood of events.
 */
export class TellFailures {
  readonly #say: (text: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #untold = 0;
  #last = "";

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  failed(method: string, error: unknown): void {
    this.#untold++;
    this.#last = `${method}.tell failed: ${ActorsError.from(error).message}`;
    if (!this.#timer) this.#flush();
  }

  /** Says what is left to say. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#untold > 0) this.#tell();
  }

  #flush(): void {
    this.#tell();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#untold > 0) this.#flush();
    }, everyMs);
    this.#timer.unref();
  }

  #tell(): void {
    const others = this.#untold - 1;
    this.#untold = 0;
    this.#say(others > 0 ? `${this.#last} (and ${others} more)` : this.#last);
  }
}
