/** Lets `limit` tasks run at once, the rest in order of arrival. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    while (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
