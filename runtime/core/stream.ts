/** Items a producer may send ahead of its consumer. */
export const streamCredit = 256;

interface StreamSource {
  start(): void;
  credit(items: number): void;
  cancel(): void;
}

/** The consuming end of a stream: buffers at most the credit it gave, and cancels when its reader leaves. */
export class StreamReader {
  readonly #source: StreamSource;
  #buffer: unknown[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #error: Error | undefined;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  push(item: unknown): void {
    this.#buffer.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#error = error;
    this.end();
  }

  /** Nothing is sent before the first `next()`. */
  async *items(): AsyncGenerator<unknown, void, undefined> {
    this.#source.start();
    let used = 0;
    try {
      for (;;) {
        const ready = this.#buffer;
        this.#buffer = [];
        for (const item of ready) {
          yield item;
          if (++used < streamCredit / 2) continue;
          this.#source.credit(used);
          used = 0;
        }
        if (this.#buffer.length > 0) continue;
        if (this.#error) throw this.#error;
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      if (!this.#ended) this.#source.cancel();
    }
  }
}

/** The producing end's allowance. */
export class Credit {
  #left: number;
  #wake: (() => void) | undefined;

  constructor(initial: number) {
    this.#left = initial;
  }

  grant(items: number): void {
    this.#left += items;
    this.#wake?.();
  }

  /** Resolves when one more item may be sent, or when the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    while (this.#left <= 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    this.#left--;
  }
}
