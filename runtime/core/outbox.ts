import { actors } from "#protos";
import type { Transport } from "../transport/transport.js";
import { ActorsError } from "./errors.js";
import type { EndpointId } from "./ids.js";

export type Frame = actors.v1.Frame.$Properties;

const batchBytes = 256 << 10;
const maxQueuedBytes = 64 << 20; // over all destinations, while there is no way to them
const maxBytesToOne = 48 << 20; // so that one that does not read leaves room for the others
const frameOverhead = 48;
const eagerCalls = 4;

/** What waits for one destination; there is none while nothing does. */
interface Queue {
  frames: Frame[];
  bytes: number;
}

/** Gathers the frames of one tick to one endpoint into one message; holds them while there is no way to it. */
export class Outbox {
  readonly #transport: Transport;
  readonly #settled: () => number;
  #queues = new Map<EndpointId, Queue>();
  #queuedBytes = 0;
  #scheduled = false;
  /** What has gone out. */
  batches = 0;
  bytes = 0;

  /** @param settled the lowest id of a call that has not ended */
  constructor(transport: Transport, settled: () => number) {
    this.#transport = transport;
    this.#settled = settled;
    transport.onRoom(this.flush);
  }

  /**
   * @param busy calls in flight: with few of them a frame leaves at the end of this microtask (latency), with many at the end of the tick (throughput).
   * @throws ActorsError OVERLOADED when 64 MiB wait, or 48 MiB for one destination; INVALID_ARGUMENT when the frame alone is too large.
   */
  send(to: EndpointId, frame: Frame, busy: number): void {
    const bytes = sizeOf(frame);
    if (bytes > this.#transport.maxBytes) {
      throw new ActorsError(
        "INVALID_ARGUMENT",
        `a message of ${bytes} bytes is over the limit of ${this.#transport.maxBytes}`,
        {
          hint: "Split it, or pass a file's path instead of its content.",
        },
      );
    }
    let queue = this.#queues.get(to);
    if (queue && queue.bytes + bytes > batchBytes) {
      this.#flushOne(to, queue);
      queue = this.#queues.get(to);
    }
    // Only new calls and payloads are refused: what ends a call, or sends it again, must not fail for lack of room.
    if (queue && (frame.method || frame.payload?.length) && !frame.attempt) {
      const full = queue.bytes + bytes > maxBytesToOne || this.#queuedBytes + bytes > maxQueuedBytes;
      if (full) throw new ActorsError("OVERLOADED", `${queue.bytes >> 20} MiB already wait for the way to ${to}`);
    }
    if (!queue) {
      queue = { frames: [], bytes: 0 };
      this.#queues.set(to, queue);
    }
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

  /**
   * Whatever `resend` sends goes ahead of what waits already: it was sent once, so it is older.
   * @param resend asks which calls still wait here and so were not sent
   */
  ahead(resend: (waits: (to: EndpointId, id: number) => boolean) => void): void {
    const waiting = this.#queues;
    const calls = new Map<EndpointId, Set<number>>();
    for (const [to, { frames }] of waiting) {
      calls.set(to, new Set(frames.filter((frame) => !frame.kind).map((frame) => frame.id!))); // kind 0 is CALL
    }
    this.#queues = new Map();
    resend((to, id) => calls.get(to)?.has(id) === true);
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

  #flushOne(to: EndpointId, queue: Queue): void {
    const { frames } = queue;
    let sent = 0;
    // A backlog may exceed one message, and the room that the way has.
    while (sent < frames.length && this.#transport.reaches(to)) {
      let end = sent;
      let bytes = 0;
      do bytes += sizeOf(frames[end++]!);
      while (end < frames.length && bytes + sizeOf(frames[end]!) <= this.#transport.maxBytes / 2);
      const part = end - sent === frames.length ? frames : frames.slice(sent, end);
      queue.bytes -= bytes;
      this.#queuedBytes -= bytes;
      const batch = actors.v1.Batch.encode({ frames: part, settled: this.#settled() }).finish();
      this.batches++;
      this.bytes += batch.length;
      this.#transport.send(to, batch);
      sent = end;
    }
    if (sent === frames.length) this.#queues.delete(to);
    else if (sent > 0) queue.frames = frames.slice(sent);
  }
}

const sizeOf = (frame: Frame) => (frame.payload?.length ?? 0) + frameOverhead;
