import type { EndpointId } from "../core/ids.js";
import { OneWay, type Receive, type Transport, type Way } from "./transport.js";

/** The transport's twin for one process: same bytes, same order, and links that tests can cut. */
export class MemoryNetwork {
  readonly #receivers = new Map<EndpointId, Receive>();
  readonly #links = new Set<MemoryTransport>();
  #connected = true;

  open(id: EndpointId): Transport {
    const transport = new MemoryTransport(this, id);
    this.#links.add(transport);
    return transport;
  }

  /** What a lost server does: batches on the way vanish and everyone is told. */
  cut(): void {
    this.#connected = false;
    for (const link of this.#links) link.way.changed(false);
  }

  mend(): void {
    this.#connected = true;
    for (const link of this.#links) link.way.changed(true);
  }

  get connected(): boolean {
    return this.#connected;
  }

  attach(id: EndpointId, receive: Receive): void {
    this.#receivers.set(id, receive);
  }

  detach(id: EndpointId, link: MemoryTransport): void {
    this.#receivers.delete(id);
    this.#links.delete(link);
  }

  deliver(to: EndpointId, batch: Uint8Array, from: EndpointId): void {
    setImmediate(() => {
      if (this.#connected) this.#receivers.get(to)?.(batch, from);
    });
  }
}

class MemoryTransport implements Transport {
  readonly maxBytes = 8 << 20;
  readonly #network: MemoryNetwork;
  readonly #id: EndpointId;
  readonly way = new OneWay();

  constructor(network: MemoryNetwork, id: EndpointId) {
    this.#network = network;
    this.#id = id;
  }

  reaches(): boolean {
    return this.#network.connected;
  }

  send(to: EndpointId, batch: Uint8Array): void {
    this.#network.deliver(to, batch, this.#id);
  }

  onBatch(receive: Receive): void {
    this.#network.attach(this.#id, receive);
  }

  onWay(changed: (way: Way) => void): void {
    this.way.listen(changed);
  }

  onRoom(): void {}

  close(): Promise<void> {
    this.#network.detach(this.#id, this);
    return Promise.resolve();
  }
}
