import { actors } from "#protos";
import type { Bus } from "../transport/bus.js";
import { heartbeatMs, heartbeatTopic } from "./protocol.js";

/** Says from now on that an endpoint lives. */
export function beat(bus: Bus, endpoint: string): () => void {
  const say = () => {
    if (!bus.connected) return; // held back, it would tell later of a life that may be over
    const message = actors.v1.Heartbeat.encode({ endpoint, sentAt: performance.now() }).finish();
    bus.publish(heartbeatTopic, message);
  };
  const timer = setInterval(say, heartbeatMs);
  timer.unref();
  const unlisten = bus.onReconnect(say);
  say();
  return () => {
    clearInterval(timer);
    unlisten();
  };
}

/**
 * What this process hears of heartbeats, its own included, in the order in which nats-server passed them on. One of its
 * own that came back proves two things: that what it sends arrives, and that it has heard all that was sent before.
 */
export class Vigil {
  readonly #bus: Bus;
  readonly #heard = new Map<string, number>();
  readonly #started = performance.now();
  readonly #told = new Set<(sentAt: number) => void>();
  readonly #stop: () => void;
  #provenAt = 0;

  constructor(bus: Bus, endpoint: string) {
    this.#bus = bus;
    this.#stop = bus.subscribe(heartbeatTopic, (bytes) => {
      const { endpoint: from, sentAt } = actors.v1.Heartbeat.decode(bytes);
      this.#heard.set(from, performance.now());
      if (from !== endpoint) return;
      this.#provenAt = sentAt;
      for (const tell of this.#told) tell(sentAt);
    });
  }

  /** Told of each heartbeat of ours that came back: when it was sent, on `performance.now()`'s clock. */
  onProof(told: (sentAt: number) => void): () => void {
    this.#told.add(told);
    return () => this.#told.delete(told);
  }

  /** Milliseconds in which that endpoint surely sent nothing. A silence of ours, or of nats-server, does not count. */
  silence(endpoint: string): number {
    return this.#provenAt - Math.max(this.#heard.get(endpoint) ?? this.#started, this.#bus.connectedSince);
  }

  close(): void {
    this.#stop();
  }
}
