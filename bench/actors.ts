// Actors of the benchmarks of calls; the scripts of Ray have their likes.
import { defineActor, type Handle } from "../runtime/index.js";

export class Server {
  value() {
    return "ok";
  }
  take(_data: Uint8Array) {
    return "ok";
  }
}
export const server = defineActor({ name: "bench.server", module: import.meta.url, class: Server });

export class Client {
  readonly #servers: Handle<Server>[];
  constructor(servers: Handle<Server>[]) {
    this.#servers = servers;
  }
  /** `count` calls over all servers in turn, all of them in flight at once. */
  async batch(count: number) {
    await inFlight(this.#servers, count);
  }
  /** The same with an array as argument. */
  async batchWith(count: number, bytes: number) {
    const data = new Uint8Array(bytes);
    await inFlight(this.#servers, count, (one) => one.take(data));
  }
  /** Microseconds that each call took, one after the other for so long. */
  async latencies(ms: number) {
    const all: number[] = [];
    const one = this.#servers[0]!;
    for (const end = performance.now() + ms; performance.now() < end; ) {
      const started = performance.now();
      await one.value();
      all.push((performance.now() - started) * 1e3);
    }
    return Float64Array.from(all);
  }
}
export const client = defineActor({ name: "bench.client", module: import.meta.url, class: Client });

export async function inFlight(
  servers: readonly Handle<Server>[],
  count: number,
  call = (one: Handle<Server>) => one.value(),
): Promise<void> {
  const calls = new Array<Promise<string>>(count);
  for (let i = 0; i < count; i++) calls[i] = call(servers[i % servers.length]!);
  await Promise.all(calls);
}

/** 100 calls, one after the other. */
export async function inSequence(one: { value(): Promise<string> }): Promise<number> {
  const calls = 100;
  for (let i = 0; i < calls; i++) await one.value();
  return calls;
}
