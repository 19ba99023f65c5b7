import { connectNats, serversOf } from "../transport/nats.js";
import { NatsBus } from "../transport/nats-bus.js";
import { onServerAway } from "./fence.js";
import { beat, type Clock, type Span, Vigil } from "./heartbeats.js";
import { heartbeatTopic } from "./protocol.js";
import type { ClusterFile } from "./state.js";

/** Who lives, as a coordinator finds out. */
export interface Watchman {
  /** Told when a newer heartbeat of ours is proven to have arrived: when it was sent. */
  onProof(told: (sentAt: number) => void): () => void;
  /** Milliseconds in which that endpoint surely sent nothing. */
  silence(endpoint: string): number;
  clientSilence(endpoint: string): number;
}

/**
 * Heartbeats where nats-servers may be lost: each server is a witness by itself, with a subject that it passes on to no
 * other, and what a majority of them says counts. A node lives by those of its heartbeats that came back from a
 * majority; it is dead after a time in which a majority of servers heard nothing of it. Two majorities share a server,
 * and one server's word is what `Vigil` says it is. So neither the loss of a server nor that of its routes, nor who
 * leads JetStream, ends a node.
 */
export class Quorum implements Watchman {
  readonly #vigils: (Vigil | undefined)[];
  readonly #proofs: number[];
  readonly #told = new Set<(sentAt: number) => void>();
  readonly #stops: (() => void)[] = [];
  #clients: Vigil | undefined;
  #provenAt = 0;
  #beats = true;

  constructor(servers: number) {
    this.#vigils = new Array<undefined>(servers).fill(undefined);
    this.#proofs = new Array<number>(servers).fill(0);
  }

  /**
   * Beats for that endpoint too, until `stopBeating`.
   * @param bus reaches all of the cluster; its link is the one to the server, where there is but one
   */
  static open(file: ClusterFile, name: string, bus: NatsBus, endpoint: string, clock: Clock): Quorum {
    const urls = serversOf(file.url);
    const quorum = new Quorum(urls.length);
    quorum.#clients = new Vigil(bus, endpoint, clock);
    quorum.#stops.push(beat(bus, endpoint, clock));
    const join = (i: number, link: NatsBus, topic: string) => {
      quorum.add(i, new Vigil(link, endpoint, clock, topic));
      onServerAway(link, { ...file, url: urls[i]! }, (at) => quorum.proven(i, at));
    };
    if (urls.length === 1) {
      quorum.add(0, quorum.#clients);
      onServerAway(bus, file, (at) => quorum.proven(0, at));
      return quorum;
    }
    for (const [i, url] of urls.entries()) {
      const topic = `${heartbeatTopic}.${i + 1}`;
      const connected = connectNats({ ...file, url }, `${name}, server ${i + 1}`, { waits: true });
      void connected.then((nc) => {
        const link = new NatsBus(nc, file.cluster);
        join(i, link, topic);
        if (quorum.#beats) quorum.#stops.push(beat(link, endpoint, clock, topic));
      });
    }
    return quorum;
  }

  add(index: number, vigil: Vigil): void {
    this.#vigils[index] = vigil;
    vigil.onProof((sentAt) => this.proven(index, sentAt));
  }

  /** By that server: a heartbeat came back, or nobody can use it. */
  proven(index: number, sentAt: number): void {
    this.#proofs[index] = Math.max(this.#proofs[index]!, sentAt);
    const provenAt = [...this.#proofs].sort((a, b) => b - a)[this.#majority - 1]!;
    if (provenAt <= this.#provenAt) return;
    this.#provenAt = provenAt;
    for (const tell of this.#told) tell(provenAt);
  }

  /** Another thread beats for this endpoint from now on. */
  readonly stopBeating = (): void => {
    this.#beats = false;
    for (const stop of this.#stops.splice(0)) stop();
  };

  onProof(told: (sentAt: number) => void): () => void {
    this.#told.add(told);
    return () => this.#told.delete(told);
  }

  silence(endpoint: string): number {
    const spans = this.#vigils.flatMap((vigil) => (vigil ? [vigil.silent(endpoint)] : []));
    return longestShared(spans, this.#majority);
  }

  clientSilence(endpoint: string): number {
    return Math.min(this.silence(endpoint), this.#clients?.clientSilence(endpoint) ?? 0);
  }

  get #majority(): number {
    return (this.#vigils.length >> 1) + 1;
  }
}

/** The longest time that lies in so many of the spans; they may be of different times. 0 or less: there is none. */
export function longestShared(spans: readonly Span[], count: number): number {
  if (spans.length < count) return 0;
  const lengths = spans.map(({ from }) => {
    const ends = spans.filter((span) => span.from <= from).map(({ until }) => until);
    return ends.length < count ? 0 : ends.sort((a, b) => b - a)[count - 1]! - from;
  });
  return Math.max(...lengths);
}
