import type { Bus } from "./bus.js";
import { isSaid, type NatsConnection, onConnection } from "./nats.js";

const maxHeld = 256;

export class NatsBus implements Bus {
  readonly #nc: NatsConnection;
  readonly #prefix: string;
  readonly #onReconnect = new Set<() => void>();
  #held: [string, Uint8Array][] = [];
  connected = true;
  connectedSince = performance.now();

  constructor(nc: NatsConnection, cluster: string) {
    this.#nc = nc;
    this.#prefix = `${cluster}.`;
    onConnection(nc, (connected) => {
      this.connected = connected;
      if (!connected) return;
      this.connectedSince = performance.now();
      for (const [topic, message] of this.#held.splice(0)) this.publish(topic, message);
      for (const tell of this.#onReconnect) tell();
    });
  }

  /** Held while the link is away, the newest 256; the client itself would drop them. */
  publish(topic: string, message: Uint8Array): void {
    if (this.#nc.isClosed()) return;
    if (this.connected) this.#nc.publish(this.#prefix + topic, message);
    else if (this.#held.push([topic, message]) > maxHeld) this.#held.shift();
  }

  subscribe(topic: string, heard: (message: Uint8Array) => void): () => void {
    const subscription = this.#nc.subscribe(this.#prefix + topic, {
      callback: (error, message) => {
        if (!error && isSaid(message)) heard(message.data);
      },
    });
    return () => subscription.unsubscribe();
  }

  onReconnect(heard: () => void): () => void {
    this.#onReconnect.add(heard);
    return () => this.#onReconnect.delete(heard);
  }
}
