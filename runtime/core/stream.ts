import { isReference } from "./bulk.js";
import type { Frame } from "./outbox.js";

/** How far a producer may be ahead of its consumer: so many items, or 4 MiB of larger ones, or 4 that lie in objects. */
export const streamCredit = 256;
const unitBytes = 16 << 10;
const objectUnits = 64;

/** What an item takes of the credit, as it travels: 1, or 1 for each 16 KiB begun, or 64 when it lies in an object. */
export function unitsOf({ codec, payload }: Frame): number {
  if (isReference(codec)) return objectUnits;
  return Math.ceil((payload?.length ?? 0) / unitBytes) || 1;
}

interface StreamSource {
  start(): void;
  credit(items: number): void;
  cancel(): void;
}

/** The consuming end of a stream: buffers at most the credit it gave, and cancels when its reader leaves. */
export class StreamReader {
  readonly #source: StreamSource;
  #buffer: unknown[] = [];
  #units: number[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #error: Error | undefined;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  push(item: unknown, units: number): void {
    this.#buffer.push(item);
    this.#units.push(units);
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
        const units = this.#units;
        this.#buffer = [];
        this.#units = [];
        for (const [i, item] of ready.entries()) {
          yield item;
          used += units[i]!;
          if (used < streamCredit / 2) continue;
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

  grant(units: number): void {
    this.#left += units;
    this.#wake?.();
  }

  get spent(): boolean {
    return this.#left <= 0;
  }

  take(units: number): void {
    this.#left -= units;
  }

  /** Resolves when one more item may be sent, or when the signal aborts. */
  async more(signal: AbortSignal): Promise<void> {
    while (this.spent && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", this.#wake, { once: true });
      });
      signal.removeEventListener("abort", this.#wake!);
    }
  }
}
