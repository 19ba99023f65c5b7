// What bench/soak.ts loads a cluster with, and what it counts.

import { JetStreamLog } from "../rl/trajectories/jetstream.js";
import { type ActorSystem, type Handle, isActorsError, pause } from "../runtime/index.js";
import { inFlight, type Server } from "./actors.js";
import { repeat } from "./measure.js";

const tickMs = 10;
const mostInFlight = 2_000; // while actors are away
const deadlineMs = 5_000;
const lateMs = 1_000; // later than this after its deadline a call is stuck
const peakBatch = 200;
const peakMs = 4_000;

/** Calls at a steady rate, over one path. */
export class Load {
  readonly #actors: readonly Handle<Server>[];
  #inFlight = 0;
  done = 0;
  stuck = 0;
  /** Milliseconds after its deadline at which the latest call settled. */
  latest = 0;
  readonly failed = new Map<string, number>();

  constructor(actors: readonly Handle<Server>[]) {
    this.#actors = actors;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Calls a second that it can make, with many in flight. */
  async peak(): Promise<number> {
    const { calls, seconds } = await repeat(() => inFlight(this.#actors, peakBatch).then(() => peakBatch), peakMs);
    return calls / seconds;
  }

  async run(perSecond: number, signal: AbortSignal): Promise<void> {
    let owed = 0;
    let next = 0;
    for (let last = performance.now(); !signal.aborted; await pause(tickMs)) {
      const now = performance.now();
      owed = Math.min(owed + ((now - last) / 1_000) * perSecond, perSecond / 10); // what was missed is not made up for
      last = now;
      for (; owed >= 1; owed--) {
        if (this.#inFlight >= mostInFlight) break;
        void this.#call(this.#actors[next++ % this.#actors.length]!);
      }
    }
  }

  async #call(actor: Handle<Server>): Promise<void> {
    const began = performance.now();
    this.#inFlight++;
    try {
      await actor.value.with({ timeoutMs: deadlineMs })();
      this.done++;
    } catch (error) {
      const code = isActorsError(error) ? error.code : "none of ours";
      this.failed.set(code, (this.failed.get(code) ?? 0) + 1);
    }
    this.#inFlight--;
    const late = performance.now() - began - deadlineMs;
    this.latest = Math.max(this.latest, late);
    if (late > lateMs) this.stuck++;
  }

  /** Waits for what is in flight; what does not end is stuck. */
  async settle(): Promise<void> {
    for (const end = Date.now() + deadlineMs + lateMs; this.#inFlight > 0 && Date.now() < end; ) await pause(tickMs);
    this.stuck += this.#inFlight;
  }
}

/** Durable messages, numbered, through the cluster's work queue. */
export class Messages {
  readonly #log: JetStreamLog;
  readonly #seen = new Map<number, number>();
  #sent = 0;
  #stored = 0;

  constructor(system: ActorSystem) {
    this.#log = new JetStreamLog(system, "soak");
  }

  async send(perSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const id = this.#sent++;
      const bytes = Buffer.alloc(1_024);
      bytes.writeUInt32LE(id);
      await this.#log.publish(`${id}`, bytes, { timeoutMs: 60_000 });
      this.#stored++;
      await pause(1_000 / perSecond);
    }
  }

  async receive(signal: AbortSignal): Promise<void> {
    for await (const { bytes, ack } of this.#log.consume(signal, () => {})) {
      const id = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUInt32LE();
      this.#seen.set(id, (this.#seen.get(id) ?? 0) + 1);
      ack();
    }
  }

  /** Waits until all that was stored has come. */
  async settle(ms: number): Promise<{ stored: number; lost: number; again: number }> {
    for (const end = Date.now() + ms; this.#seen.size < this.#stored && Date.now() < end; ) await pause(tickMs);
    const again = [...this.#seen.values()].filter((times) => times > 1).length;
    return { stored: this.#stored, lost: this.#stored - this.#seen.size, again };
  }
}
