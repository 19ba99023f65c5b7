import { actors } from "#protos";
import { type ActorContext, ActorsError, defineActor, makeLogger } from "../../runtime/index.js";
import type { BackendName } from "./backend.js";
import { type Lease, type PoolStats, SandboxPool } from "./pool.js";
import { chooseBackend, type Guarantees } from "./probe.js";
import { defaultLimits, type SandboxLimits } from "./session.js";

export interface SandboxActorOptions {
  /** Sandboxes kept warm, and so episodes at once. Default 16. */
  size?: number;
  backend?: BackendName | "auto";
  limits?: Partial<SandboxLimits>;
  /** A lease unused for this long is taken back: its client died. Default 120 s. */
  idleMs?: number;
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
  usedAt: number;
}

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
    const { backend, guarantees } = await chooseBackend(this.#options.backend ?? "auto", this.#limits, log);
    this.#backend = { name: backend.name, guarantees };
    this.#pool = new SandboxPool({ backend, limits: this.#limits, size: this.#options.size ?? 16, log });
    await this.#pool.start();
    const idleMs = this.#options.idleMs ?? 120_000;
    this.#reaper = setInterval(() => this.#reclaim(idleMs), Math.max(10, idleMs / 4)).unref();
  }

  async onStop(_reason?: string): Promise<void> {
    clearInterval(this.#reaper);
    await this.#pool?.close();
  }

  /** Waits for a free sandbox as long as the call may last. */
  async checkout(holder?: Holder): Promise<{ id: string }> {
    if (holder) this.#releaseEarlier(holder);
    const call = this.#context?.call;
    const left = Math.min((call?.deadline ?? Number.POSITIVE_INFINITY) - Date.now() - answerMs, longestWaitMs);
    const wait = { timeoutMs: Math.max(1, left), ...(call && { signal: call.signal }) };
    const lease = await this.#started.acquire(wait);
    if (holder && holder.epoch < (this.#incarnations.get(holder.id) ?? 0)) {
      lease.release().catch(() => {});
      throw new ActorsError("CANCELLED", `the incarnation of ${holder.id} that asked for a sandbox is dead`);
    }
    const id = `${lease.id}.${++this.#count}`; // a late call of an earlier holder must not reach the next one's files
    this.#held.set(id, { lease, holder, running: 0, usedAt: Date.now() });
    return { id };
  }

  async run(request: actors.v1.SandboxRun.$Properties): Promise<actors.v1.SandboxResults.$Properties> {
    const held = this.#held.get(request.sandbox ?? "");
    if (!held) {
      throw new ActorsError("UNAVAILABLE", `nobody holds sandbox ${request.sandbox}`, {
        hint: "It was released, unused for too long, or its actor restarted: check out another and start the episode again.",
      });
    }
    const signal = this.#context?.call.signal;
    held.running++;
    try {
      return { results: await held.lease.run(request.ops ?? [], signal ? { signal } : {}) };
    } finally {
      held.running--;
      held.usedAt = Date.now();
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

  #reclaim(idleMs: number): void {
    const before = Date.now() - idleMs;
    for (const [id, held] of this.#held) {
      if (held.running > 0 || (held.usedAt > before && held.lease.alive)) continue;
      this.#context?.log.info(`sandbox ${id} comes back from a client that left`);
      this.release(id).catch(() => {}); // one that cannot be emptied is replaced by the pool
    }
  }
}

export const sandboxActor = defineActor({
  name: "sandbox",
  module: import.meta.url,
  class: SandboxActor,
  // A repeat within one incarnation is answered from the reply cache; the next incarnation knows no earlier lease.
  idempotent: ["checkout", "run", "release", "stats"],
  shared: ["checkout", "run", "release", "stats"],
  hosting: "process",
  wire: { run: { request: actors.v1.SandboxRun, reply: actors.v1.SandboxResults } },
});
