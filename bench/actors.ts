// Actors of bench/actor-calls.ts; bench/actor-calls.ray.py has their likes.
import { defineActor, type Handle } from "../runtime/index.js";

class Server {
  value() {
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
}
export const client = defineActor({ name: "bench.client", module: import.meta.url, class: Client });

export async function inFlight(servers: readonly Handle<Server>[], count: number): Promise<void> {
  const calls = new Array<Promise<string>>(count);
  for (let i = 0; i < count; i++) calls[i] = servers[i % servers.length]!.value();
  await Promise.all(calls);
}
