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
