// Actors of bench/objects.ts; bench/objects.ray.py has their likes.
import { defineActor, type Handle } from "../runtime/index.js";

class Receiver {
  /** Looks at the ends alone. */
  take(data: Uint8Array) {
    return data[0]! + data[data.length - 1]!;
  }
  /** Looks at every page. */
  read(data: Uint8Array) {
    let sum = 0;
    for (let i = 0; i < data.length; i += 4096) sum += data[i]!;
    return sum;
  }
}
export const receiver = defineActor({ name: "bench.receiver", module: import.meta.url, class: Receiver });

export class Sender {
  readonly #to: Handle<Receiver>;
  readonly #data: Uint8Array;

  constructor(to: Handle<Receiver>, bytes: number) {
    this.#to = to;
    this.#data = new Uint8Array(bytes).fill(1);
  }
  /** @returns seconds of each call */
  async send(method: "take" | "read", count: number): Promise<number[]> {
    const seconds: number[] = [];
    for (let i = 0; i < count; i++) {
      const started = performance.now();
      await this.#to[method](this.#data);
      seconds.push((performance.now() - started) / 1000);
    }
    return seconds;
  }
}
export const sender = defineActor({ name: "bench.sender", module: import.meta.url, class: Sender });
