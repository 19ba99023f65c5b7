import type { MessagePort } from "node:worker_threads";
import { actors } from "#protos";
import { fromFailure, toFailure } from "../core/errors.js";
import type { ActorId, EndpointId } from "../core/ids.js";
import { type Location, type Resolver, unknownLocation } from "../directory/directory.js";
import { OneWay, type Receive, type Transport, type Way } from "../transport/transport.js";

/** What a worker thread says to its process about frames and places. */
export type FromThread =
  | { to: EndpointId; batch: Uint8Array }
  | { resolve: ActorId }
  | { topic: string; event: Uint8Array };
export type ToThread =
  | { batch: Uint8Array; from: EndpointId }
  | { open: boolean }
  | { moved: ActorId; at: PlainLocation };

/** An error cannot cross a port whole, so its place crosses with the wire form of it. */
export interface PlainLocation extends Omit<Location, "failure"> {
  failure: Uint8Array | undefined;
}

export function toPlain(at: Location): PlainLocation {
  return { ...at, failure: at.failure && actors.v1.Failure.encode(toFailure(at.failure)).finish() };
}

/** The thread's end: a transport whose batches its process relays, and a resolver that asks the process. */
export class PortLink implements Transport, Resolver {
  readonly maxBytes: number;
  readonly #port: MessagePort;
  readonly #known = new Map<ActorId, Location>();
  readonly #asked = new Set<ActorId>();
  readonly #moved = new Set<(id: ActorId) => void>();
  readonly #way = new OneWay();
  #receive: Receive = () => {};

  constructor(port: MessagePort, maxBytes: number) {
    this.#port = port;
    this.maxBytes = maxBytes;
    port.on("message", (message: ToThread) => {
      if ("batch" in message) this.#receive(message.batch, message.from);
      else if ("open" in message) this.#way.changed(message.open);
      else {
        const { failure, ...at } = message.at;
        this.#known.set(message.moved, { ...at, failure: failure && fromFailure(actors.v1.Failure.decode(failure)) });
        for (const tell of this.#moved) tell(message.moved);
      }
    });
  }

  reaches(): boolean {
    return this.#way.open;
  }

  send(to: EndpointId, batch: Uint8Array): void {
    // The encoder's bytes share a pool: copied here, not detached there.
    this.#port.postMessage({ to, batch: batch.slice() } satisfies FromThread);
  }

  /** For the process to publish. */
  publish(topic: string, event: Uint8Array): void {
    this.#port.postMessage({ topic, event: event.slice() } satisfies FromThread);
  }

  onBatch(receive: Receive): void {
    this.#receive = receive;
  }

  onWay(changed: (way: Way) => void): void {
    this.#way.listen(changed);
  }

  onRoom(): void {}

  resolve(id: ActorId): Location {
    const known = this.#known.get(id);
    if (known) return known;
    if (!this.#asked.has(id)) {
      this.#asked.add(id);
      this.#port.postMessage({ resolve: id } satisfies FromThread);
    }
    return unknownLocation;
  }

  onChange(changed: (id: ActorId) => void): () => void {
    this.#moved.add(changed);
    return () => this.#moved.delete(changed);
  }

  close(): Promise<void> {
    this.#port.close();
    return Promise.resolve();
  }
}
