import { actors } from "#protos";
import type { Transport } from "../transport/transport.js";
import { ActorsError } from "./errors.js";
import type { EndpointId } from "./ids.js";

export type Frame = actors.v1.Frame.$Properties;

const batchBytes = 256 << 10;
const maxQueuedBytes = 64 << 20; // over all destinations, while the link is away
const frameOverhead = 48;
const eagerCalls = 4;

/** Gathers the frames of one tick to one endpoint into one message; holds them while the link is away. */
export class Outbox {
  readonly #transport: Transport;
  readonly #from: EndpointId;
  readonly #queues = new Map<EndpointId, { frames: Frame[]; bytes: number }>();
  #queuedBytes = 0;
  #scheduled = false;
  /** What has gone out. */
  batches = 0;
  bytes = 0;

  constructor(transport: Transport, from: EndpointId) {
    this.#transport = transport;
    this.#from = from;
  }

  /**
   * @param busy calls in flight: with few of them a frame leaves at the end of this microtask (latency), with many at the end of the tick (throughput).
   * @throws ActorsError OVERLOADED when 64 MiB wait for a lost link, INVALID_ARGUMENT when the frame alone is too large.
   */
  send(to: EndpointId, frame: Frame, busy: number): void {
    const bytes = (frame.payload?.length ?? 0) + frameOverhead;
    if (bytes > this.#transport.maxBytes) {
      throw new ActorsError(
        "INVALID_ARGUMENT",
        `a message of ${bytes} bytes is over the limit of ${this.#transport.maxBytes}`,
        {
          hint: "Split it, or pass a file's path instead of its content.",
        },
      );
    }
    if (this.#queuedBytes + bytes > maxQueuedBytes) {
      throw new ActorsError("OVERLOADED", `${this.#queuedBytes >> 20} MiB already wait for a lost link`);
    }
    let queue = this.#queues.get(to);
    if (!queue) {
      queue = { frames: [], bytes: 0 };
      this.#queues.set(to, queue);
    }
    if (queue.bytes + bytes > batchBytes && queue.frames.length > 0) this.#flushOne(to, queue);
    queue.frames.push(frame);
    queue.bytes += bytes;
    this.#queuedBytes += bytes;
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (busy <= eagerCalls) queueMicrotask(this.flush);
    else setImmediate(this.flush);
  }

  readonly flush = (): void => {
    this.#scheduled = false;
    for (const [to, queue] of this.#queues) this.#flushOne(to, queue);
  };

  /** Whatever `send` queues goes ahead of what waits already: sent again after a lost link, it is older. */
  ahead(send: () => void): void {
    const waiting = new Map(this.#queues);
    this.#queues.clear();
    send();
    for (const [to, { frames, bytes }] of waiting) {
      const queue = this.#queues.get(to);
      if (!queue) {
        this.#queues.set(to, { frames, bytes });
        continue;
      }
      for (const frame of frames) queue.frames.push(frame);
      queue.bytes += bytes;
    }
    this.flush();
  }

  #flushOne(to: EndpointId, queue: { frames: Frame[]; bytes: number }): void {
    if (queue.frames.length === 0 || !this.#transport.connected) return;
    const { frames } = queue;
    this.#queuedBytes -= queue.bytes;
    queue.frames = [];
    queue.bytes = 0;
    // A backlog from a lost link may exceed one message.
    for (let start = 0; start < frames.length; ) {
      let bytes = 0;
      let end = start;
      while (end < frames.length) {
        const next = (frames[end]!.payload?.length ?? 0) + frameOverhead;
        if (end > start && bytes + next > this.#transport.maxBytes / 2) break;
        bytes += next;
        end++;
      }
      const part = start === 0 && end === frames.length ? frames : frames.slice(start, end);
      const batch = actors.v1.Batch.encode({ from: this.#from, frames: part }).finish();
      this.batches++;
      this.bytes += batch.length;
      this.#transport.send(to, batch);
      start = end;
    }
  }
}
