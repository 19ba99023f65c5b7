import { actors } from "#protos";
import { type ActorContext, ActorsError, defineActor, makeLogger } from "../../runtime/index.js";
import type { Guarantees } from "./backend.js";
import { follow } from "./follow.js";
import type { Lease } from "./lease.js";
import type { BackendName } from "./names.js";
import { type CreateOptions, type PoolStats, SandboxPool } from "./pool.js";
import { type BackendOptions, chooseBackend } from "./probe.js";
import type { ForkOptions, SnapshotId } from "./sandbox.js";
import { defaultLimits, type OutputChunk, type RunOptions, type SandboxLimits } from "./session.js";
import type { Template } from "./snapshots.js";

export interface SandboxActorOptions extends BackendOptions {
  /** Sandboxes kept warm, and so episodes at once. Default 16. */
  size?: number;
  limits?: Partial<SandboxLimits>;
  /** A lease unused for this long is taken back: its client died. Default 120 s. */
  idleMs?: number;
  /** And for this long after its checkout in any case. Default 4 h. */
  lifetimeMs?: number;
}

export interface SandboxStats extends PoolStats {
  backend: BackendName;
  guarantees: Guarantees;
}

/** What a checkout leaves of its time, so that the reason of a failure still arrives. */
const answerMs = 20;
const longestWaitMs = 600_000;

/** Whose a lease is: an actor and its incarnation. */
export interface Holder {
  id: string;
  epoch: number;
}

interface Held {
  lease: Lease;
  holder: Holder | undefined;
  running: number;
  takenAt: number;
  usedAt: number;
}

export interface Checkout extends Omit<CreateOptions, "timeoutMs" | "signal"> {
  holder?: Holder;
}

/** Of a command that streams: output as it comes, then all results, as an encoded SandboxResults. */
export type Streamed = { chunk: OutputChunk } | { results: Uint8Array };

/** Lends the sandboxes of one machine. Everything it holds dies with its process, so a restart begins anew. */
export class SandboxActor {
  readonly #options: SandboxActorOptions;
  readonly #limits: SandboxLimits;
  readonly #held = new Map<string, Held>();
  /** The newest incarnation of each holder that asked. */
  readonly #incarnations = new Map<string, number>();
  #context: ActorContext | undefined;
  #pool: SandboxPool | undefined;
  #backend: { name: BackendName; guarantees: Guarantees } | undefined;
  #reaper: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(options: SandboxActorOptions = {}) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  async onStart(context?: ActorContext): Promise<void> {
    this.#context = context;
    const log = context?.log ?? makeLogger("sandbox");
    const { size = 16, image = null } = this.#options;
    const { backend, guarantees } = await chooseBackend(this.#options, this.#limits, log);
    this.#backend = { name: backend.name, guarantees };
    this.#pool = new SandboxPool({ backend, limits: this.#limits, size, image, log });
    await this.#pool.start();
    const idleMs = this.#options.idleMs ?? 120_000;
    const lifetimeMs = this.#options.lifetimeMs ?? 4 * 3_600_000;
    this.#reaper = setInterval(() => this.#reclaim(idleMs, lifetimeMs), Math.max(10, idleMs / 4)).unref();
  }

  async onStop(_reason?: string): Promise<void> {
    clearInterval(this.#reaper);
    await this.#pool?.close();
  }

  /** Waits for a free sandbox as long as the call may last. */
  checkout({ holder, ...options }: Checkout = {}): Promise<{ id: string }> {
    if (holder) this.#releaseEarlier(holder);
    return this.#hold(holder, this.#started.acquire({ ...options, ...this.#wait() }));
  }

  fork(id: string, options: Pick<ForkOptions, "anew"> = {}): Promise<{ id: string }> {
    const { lease, holder } = this.#find(id);
    return this.#hold(holder, lease.fork({ ...options, ...this.#wait() }));
  }

  /** A snapshot of it. */
  keep(id: string): Promise<SnapshotId> {
    return this.#find(id).lease.snapshot();
  }

  /** Makes it unless it is made. */
  template(template: Template): Promise<SnapshotId> {
    return this.#started.template(template, this.#wait());
  }

  /** No error when it is gone. */
  drop(snapshot: SnapshotId): Promise<void> {
    return this.#started.drop(snapshot);
  }

  async run({ sandbox, ops }: actors.v1.SandboxRun.$Properties): Promise<actors.v1.SandboxResults.$Properties> {
    const signal = this.#context?.call.signal;
    return { results: await this.#use(sandbox, (lease) => lease.run(ops ?? [], signal ? { signal } : {})) };
  }

  /** As run, for commands that stream. */
  async *stream({ sandbox, ops }: actors.v1.SandboxRun.$Properties): AsyncGenerator<Streamed, void, undefined> {
    const start = (options: RunOptions) => this.#use(sandbox, (lease) => lease.run(ops ?? [], options));
    const output = follow(start, this.#context?.call.signal);
    try {
      for (;;) {
        const { done, value } = await output.next();
        if (!done) yield { chunk: value };
        else return yield { results: actors.v1.SandboxResults.encode({ results: value }).finish() };
      }
    } finally {
      await output.return([]);
    }
  }

  /** Releasing twice, or after a restart, is no error. */
  async release(id: string): Promise<void> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    await held?.lease.release();
  }

  stats(): SandboxStats {
    const { name, guarantees } = this.#backend!;
    return { backend: name, guarantees, ...this.#started.stats() };
  }

  async #hold(holder: Holder | undefined, coming: Promise<Lease>): Promise<{ id: string }> {
    const lease = await coming;
    if (holder && holder.epoch < (this.#incarnations.get(holder.id) ?? 0)) {
      lease.release().catch(() => {});
      throw new ActorsError("CANCELLED", `the incarnation of ${holder.id} that asked for a sandbox is dead`);
    }
    const id = `${lease.id}.${++this.#count}`; // a late call of an earlier holder must not reach the next one's files
    const now = Date.now();
    this.#held.set(id, { lease, holder, running: 0, takenAt: now, usedAt: now });
    return { id };
  }

  #find(id: string | null | undefined): Held {
    const held = this.#held.get(id ?? "");
    if (held) return held;
    throw new ActorsError("UNAVAILABLE", `nobody holds sandbox ${id}`, {
      hint: "It was released, unused for too long, or its actor restarted: check out another and start the episode again.",
    });
  }

  async #use<T>(id: string | null | undefined, work: (lease: Lease) => Promise<T>): Promise<T> {
    const held = this.#find(id);
    held.running++;
    try {
      return await work(held.lease);
    } finally {
      held.running--;
      held.usedAt = Date.now();
    }
  }

  #wait(): RunOptions {
    const call = this.#context?.call;
    const left = Math.min((call?.deadline ?? Number.POSITIVE_INFINITY) - Date.now() - answerMs, longestWaitMs);
    return { timeoutMs: Math.max(1, left), ...(call && { signal: call.signal }) };
  }

  get #started(): SandboxPool {
    if (this.#pool) return this.#pool;
    throw new ActorsError("UNAVAILABLE", "the sandbox actor has not started");
  }

  /** What earlier incarnations of the holder had is free again: they are dead. */
  #releaseEarlier({ id, epoch }: Holder): void {
    if (epoch <= (this.#incarnations.get(id) ?? 0)) return;
    this.#incarnations.set(id, epoch);
    for (const [lease, { holder }] of this.#held) {
      if (holder?.id === id && holder.epoch < epoch) this.release(lease).catch(() => {}); // else the pool replaces it
    }
  }

  #reclaim(idleMs: number, lifetimeMs: number): void {
    const now = Date.now();
    for (const [id, held] of this.#held) {
      const used = held.running > 0 || (held.usedAt > now - idleMs && held.lease.alive);
      if (used && held.takenAt > now - lifetimeMs) continue;
      this.#context?.log.info(`sandbox ${id} is taken back: ${used ? "its lifetime is over" : "its client left"}`);
      this.release(id).catch(() => {}); // one that cannot be emptied is replaced by the pool
    }
  }
}

export const sandboxActor = defineActor({
  name: "sandbox",
  module: import.meta.url,
  class: SandboxActor,
  // A repeat within one incarnation is answered from the reply cache; the next incarnation knows no earlier lease.
  idempotent: ["checkout", "fork", "keep", "template", "drop", "run", "release", "stats"],
  shared: ["checkout", "fork", "keep", "template", "drop", "run", "stream", "release", "stats"],
  hosting: "process",
  wire: { run: { request: actors.v1.SandboxRun, reply: actors.v1.SandboxResults } },
});
