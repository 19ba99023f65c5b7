import type { Delivery, TrajectoryLog } from "./log.js";

const logs = new Map<string, MemoryLog>();

/** The twin of the durable log for a system inside one process: its actors find the same log by name. */
export class MemoryLog implements TrajectoryLog {
  readonly #name: string;
  readonly #keys = new Set<string>();
  readonly #waiting: Uint8Array[] = [];
  #wake: (() => void) | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  static of(name: string): MemoryLog {
    const log = logs.get(name) ?? new MemoryLog(name);
    logs.set(name, log);
    return log;
  }

  async publish(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#waiting.push(bytes.slice());
    this.#wake?.();
  }

  async *consume(signal: AbortSignal): AsyncGenerator<Delivery, void, undefined> {
    while (!signal.aborted) {
      const bytes = this.#waiting.shift();
      if (bytes) yield { bytes, ack: () => {} };
      else await this.#more(signal);
    }
  }

  async remove(): Promise<void> {
    logs.delete(this.#name);
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
