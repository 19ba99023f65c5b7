import { actors } from "#protos";
import type { Resolver } from "../directory/directory.js";
import type { Transport } from "../transport/transport.js";
import { type Bulk, Unloading } from "./bulk.js";
import { Calls, type Send } from "./calls.js";
import { hostEndpointActor } from "./endpoint-actor.js";
import type { EndpointId } from "./ids.js";
import { type Frame, Outbox } from "./outbox.js";
import { Server } from "./server.js";

const { FrameKind } = actors.v1;

export interface Traffic {
  batchesOut: number;
  bytesOut: number;
  batchesIn: number;
  bytesIn: number;
  /** Batches that could not be decoded. */
  malformed: number;
  /** Times the link came back after a loss. */
  reconnects: number;
}

/** A place actors live at and calls come from: one a process or worker thread. */
export class Endpoint {
  readonly id: EndpointId;
  readonly calls: Calls;
  readonly server: Server;
  readonly #transport: Transport;
  readonly #outbox: Outbox;
  readonly #unloading: Unloading;
  #local: Frame[] = [];
  #rounds = 0;
  /** Batches that could not be decoded and were dropped. */
  malformed = 0;
  /** Times the link came back after a loss. */
  reconnects = 0;
  #batchesIn = 0;
  #bytesIn = 0;

  constructor(id: EndpointId, transport: Transport, resolver: Resolver) {
    this.id = id;
    this.#transport = transport;
    this.#outbox = new Outbox(transport, () => this.calls.settled);
    const send: Send = (to, frame, busy = 0) => {
      if (to === id) this.#loop(frame);
      else this.#outbox.send(to, frame, this.calls.inFlight + busy);
    };
    this.calls = new Calls(id, send, resolver, (to) => to === id || transport.reaches(to));
    this.server = new Server(send, this.calls);
    this.#unloading = new Unloading(
      (from, frame) => this.#dispatch(from, frame),
      (to, frame) => this.server.answer(to, frame),
    );
    hostEndpointActor(this);
    transport.onBatch((bytes, from) => this.#receive(bytes, from));
    transport.onWay((way) => {
      if (!way.open) return;
      this.reconnects++;
      const leadsTo = (peer: EndpointId) => peer !== id && way.leadsTo(peer);
      this.#outbox.ahead((waits) => this.calls.reconnected(leadsTo, waits));
    });
  }

  /** From now on large payloads lie in objects. */
  useBulk(bulk: Bulk): void {
    this.calls.bulk = bulk;
    this.server.bulk = bulk;
    this.#unloading.bulk = bulk;
  }

  async close(reason: string): Promise<void> {
    this.calls.close(reason);
    this.server.close();
    this.#outbox.flush();
    await this.#transport.close();
  }

  /** To an actor of this endpoint: no transport, but the payload was encoded all the same, so no one shares a value. */
  #loop(frame: Frame): void {
    this.#local.push(frame);
    if (this.#local.length > 1) return;
    // Now and then through the event loop, so that a chain of local calls cannot starve timers and sockets.
    if (++this.#rounds % 128 === 0) setImmediate(this.#drainLocal);
    else queueMicrotask(this.#drainLocal);
  }

  readonly #drainLocal = (): void => {
    const frames = this.#local;
    this.#local = [];
    for (const each of frames) this.#unloading.pass(this.id, each);
  };

  /** What has passed the transport since the endpoint was made. */
  get traffic(): Traffic {
    return {
      batchesOut: this.#outbox.batches,
      bytesOut: this.#outbox.bytes,
      batchesIn: this.#batchesIn,
      bytesIn: this.#bytesIn,
      malformed: this.malformed,
      reconnects: this.reconnects,
    };
  }

  #receive(bytes: Uint8Array, from: EndpointId): void {
    this.#batchesIn++;
    this.#bytesIn += bytes.length;
    let batch: actors.v1.Batch;
    try {
      batch = actors.v1.Batch.decode(bytes);
    } catch {
      this.malformed++;
      return;
    }
    if (batch.settled > 1) this.server.settled(from, batch.settled);
    for (const frame of batch.frames) this.#unloading.pass(from, frame);
  }

  #dispatch(from: EndpointId, frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.REPLY:
      case FrameKind.ERROR:
      case FrameKind.ITEM:
      case FrameKind.END:
      case FrameKind.FULL:
      case FrameKind.ROOM:
        return this.calls.receive(from, frame);
      default:
        return this.server.receive(from, frame);
    }
  }
}
