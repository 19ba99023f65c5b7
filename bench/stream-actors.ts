// Actors of bench/streams.ts; bench/streams.ray.py has their likes.
import { defineActor } from "../runtime/index.js";

class Source {
  async *count(n: number) {
    for (let i = 0; i < n; i++) yield i;
  }
  echo(n: number) {
    return n;
  }
}
export const source = defineActor({ name: "bench.source", module: import.meta.url, class: Source });

/** First in, first out; `get` waits for an item. */
class Queue {
  readonly #items: unknown[] = [];
  readonly #waiting: ((item: unknown) => void)[] = [];
  put(item: unknown): void {
    const next = this.#waiting.shift();
    if (next) next(item);
    else this.#items.push(item);
  }
  get(): Promise<unknown> | unknown {
    return this.#items.length > 0 ? this.#items.shift() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
export const queue = defineActor({
  name: "bench.queue",
  module: import.meta.url,
  class: Queue,
  shared: ["put", "get"],
});
