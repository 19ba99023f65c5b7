import { actors } from "#protos";
import type { Bus } from "../transport/bus.js";
import { clientTopic, heartbeatMs, heartbeatTopic } from "./protocol.js";

/** A time in which something surely did not happen. */
export interface Span {
  from: number;
  until: number;
}

/** In milliseconds, from any start. */
export type Clock = () => number;

/** Says from now on that an endpoint lives. */
export function beat(
  bus: Bus,
  endpoint: string,
  clock: Clock = () => performance.now(),
  topic = heartbeatTopic,
): () => void {
  const say = () => {
    if (!bus.connected) return; // held back, it would tell later of a life that may be over
    const message = actors.v1.Heartbeat.encode({ endpoint, sentAt: clock() }).finish();
    bus.publish(topic, message);
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
  readonly #clock: Clock;
  readonly #heard = new Map<string, number>();
  readonly #heardClients = new Map<string, number>();
  readonly #told = new Set<(sentAt: number) => void>();
  readonly #stops: (() => void)[];
  /** When the first of our own came back over this connection: from then on we surely hear all. */
  #since = Number.POSITIVE_INFINITY;
  #provenAt = 0;

  /** @param clock by which `endpoint` beats */
  constructor(bus: Bus, endpoint: string, clock: Clock, topic = heartbeatTopic) {
    this.#clock = clock;
    const unsubscribe = bus.subscribe(topic, (bytes) => {
      const { endpoint: from, sentAt } = actors.v1.Heartbeat.decode(bytes);
      const now = this.#clock();
      this.#heard.set(from, now);
      if (from !== endpoint) return;
      this.#since = Math.min(this.#since, now);
      this.#provenAt = sentAt;
      for (const tell of this.#told) tell(sentAt);
    });
    const unsubscribeClients = bus.subscribe(clientTopic, (bytes) =>
      this.#heardClients.set(actors.v1.Heartbeat.decode(bytes).endpoint, this.#clock()),
    );
    const unlisten = bus.onReconnect(() => {
      this.#since = Number.POSITIVE_INFINITY;
    });
    this.#stops = [unsubscribe, unsubscribeClients, unlisten];
  }

  /** Told of each heartbeat of ours that came back: when it was sent. */
  onProof(told: (sentAt: number) => void): () => void {
    this.#told.add(told);
    return () => this.#told.delete(told);
  }

  /** Milliseconds in which that endpoint surely sent nothing. A silence of ours, or of nats-server, does not count. */
  silence(endpoint: string): number {
    return lengthOf(this.silent(endpoint));
  }

  /** When that was. */
  silent(endpoint: string): Span {
    return this.#silentSince(this.#heard.get(endpoint));
  }

  /** The same of a client, or of whoever started the nodes: what any client says proves nothing for a node. */
  clientSilence(endpoint: string): number {
    return Math.min(this.silence(endpoint), lengthOf(this.#silentSince(this.#heardClients.get(endpoint))));
  }

  #silentSince(heardAt = this.#since): Span {
    return { from: Math.max(heardAt, this.#since), until: this.#provenAt };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }
}

const lengthOf = ({ from, until }: Span) => until - from;
