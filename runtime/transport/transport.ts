import type { EndpointId } from "../core/ids.js";

/**
 * Carries batches of frames between endpoints. At most once, in order for each pair, never blocking.
 * What is sent to an endpoint that cannot be reached now may be lost: the outbox holds its batches back until it can.
 */
export interface Transport {
  /** Most bytes one batch may have. */
  readonly maxBytes: number;
  /** Whether the way to this endpoint is there, and has room. */
  reaches(to: EndpointId): boolean;
  send(to: EndpointId, batch: Uint8Array): void;
  /** The one receiver of this endpoint. Whoever `from` says has sent it, as far as the transport can know. */
  onBatch(receive: Receive): void;
  /** Told of each way that was lost, and of each that is there again. */
  onWay(changed: (way: Way) => void): void;
  /** Told when what the outbox holds back may go. */
  onRoom(ready: () => void): void;
  /** Sends what is queued, then lets go of the link. */
  close(): Promise<void>;
}

export type Receive = (batch: Uint8Array, from: EndpointId) => void;

export type Way =
  | { open: false }
  /** What went to these endpoints before, or came from them, may be lost. */
  | { open: true; leadsTo(peer: EndpointId): boolean };

/** The common end of transports whose endpoints all share one way. */
export class OneWay {
  readonly #listeners: ((way: Way) => void)[] = [];
  #open = true;

  get open(): boolean {
    return this.#open;
  }

  listen(changed: (way: Way) => void): void {
    this.#listeners.push(changed);
  }

  /** What went to that endpoint before, or came from it, may be lost. */
  lost(to: EndpointId): void {
    if (this.#open) this.#tell({ open: true, leadsTo: (peer) => peer === to });
  }

  changed(open: boolean): void {
    this.#open = open;
    this.#tell(open ? { open, leadsTo: () => true } : { open });
  }

  #tell(way: Way): void {
    for (const tell of this.#listeners) tell(way);
  }
}
