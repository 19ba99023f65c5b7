import { type NatsConnection, onConnection } from "./nats.js";

/** Fan-out to whoever listens: heartbeats and cluster events. Nothing is kept for later listeners. */
export interface Bus {
  readonly connected: boolean;
  /** On `performance.now()`'s clock: when the link last came up. */
  readonly connectedSince: number;
  publish(topic: string, message: Uint8Array): void;
  subscribe(topic: string, heard: (message: Uint8Array) => void): () => void;
  /** Told each time the link is up again after a loss. */
  onReconnect(heard: () => void): () => void;
}

export class MemoryBus implements Bus {
  readonly connected = true;
  readonly connectedSince = performance.now();
  readonly #topics = new Map<string, Set<(message: Uint8Array) => void>>();

  publish(topic: string, message: Uint8Array): void {
    queueMicrotask(() => {
      for (const heard of this.#topics.get(topic) ?? []) heard(message);
    });
  }

  subscribe(topic: string, heard: (message: Uint8Array) => void): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(heard));
    return () => listeners.delete(heard);
  }

  onReconnect(): () => void {
    return () => {}; // it is never lost
  }
}

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
        if (!error) heard(message.data);
      },
    });
    return () => subscription.unsubscribe();
  }

  onReconnect(heard: () => void): () => void {
    this.#onReconnect.add(heard);
    return () => this.#onReconnect.delete(heard);
  }
}
