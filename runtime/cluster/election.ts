import { actors } from "#protos";
import type { Logger } from "../core/log.js";
import type { Directory } from "../directory/directory.js";
import type { Entry } from "../directory/store.js";
import type { Bus } from "../transport/bus.js";
import { coordinatorLeaseMs } from "./protocol.js";

const key = "lease.coordinator";
const tickMs = 250;
const quietMs = 500; // a watch that told of no beat for so long is doubted, or the holder
const gapMs = 1_500; // between two looks that the store answered; in a longer one it may have taken no beat either
const sureMs = coordinatorLeaseMs - 500; // what is left is for a write to arrive

interface Hold {
  term: number;
  beat: number;
  revision: number;
  /** When the newest beat was sent; nobody can have seen it earlier. */
  sentAt: number;
}

interface Campaign {
  directory: Directory;
  bus: Bus;
  endpoint: string;
  node: string;
  log: Logger;
  /** Whether that endpoint's process is known to have ended. */
  lost(endpoint: string): boolean;
  /** @param revision of the store, in which the lease was won. When this throws, the lease is given back. */
  onLead(term: number, revision: number): Promise<void> | void;
  onLose(): void;
}

/**
 * Holds the coordinator's lease, or waits for it. One key, moved only by compare-and-set; a lease counts as free when
 * the watcher looked into the store again and again for `coordinatorLeaseMs`, on its own clock, so that clocks need not
 * agree, and its beat was still. A time in which the store answers nobody is not held against the holder.
 */
export class Election {
  readonly #c: Campaign;
  readonly #timer: NodeJS.Timeout;
  #leading: Hold | undefined;
  #renewing: Promise<void> | undefined;
  /** What looks into the store have found: since when, and last when. */
  #looked: { revision: number; since: number; at: number } | undefined;
  #busy = false;
  #stopped = false;

  constructor(campaign: Campaign) {
    this.#c = campaign;
    this.#timer = setInterval(() => void this.#tick(), tickMs);
    void this.#tick();
  }

  get leading(): boolean {
    return this.#leading !== undefined;
  }

  /** Whether nobody else coordinates, nor can before a write that is made at once has arrived. */
  async holds(): Promise<boolean> {
    if (!this.#leading) return false;
    if (performance.now() - this.#leading.sentAt >= sureMs) await this.#renewOnce();
    return this.leading;
  }

  /** Gives the lease back, so that the next one need not wait for it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    if (this.#leading) await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    this.#leading = undefined;
    this.#c.onLose();
    await freeLease(this.#c.directory, this.#c.node).catch(() => {});
  }

  async #tick(): Promise<void> {
    if (this.#busy || this.#stopped || !this.#c.bus.connected) return;
    this.#busy = true;
    try {
      await (this.#leading ? this.#renewOnce() : this.#run());
    } catch (error) {
      this.#c.log.warn({ err: error }, "the coordinator's lease could not be won or renewed");
    } finally {
      this.#busy = false;
    }
  }

  #renewOnce(): Promise<void> {
    this.#renewing ??= this.#renew(this.#leading!).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(held: Hold): Promise<void> {
    const beat = held.beat + 1;
    const sentAt = performance.now();
    const revision = await this.#c.directory.store.update(key, this.#lease(held.term, beat), held.revision);
    if (this.#leading !== held) return;
    this.#leading = revision ? { term: held.term, beat, revision, sentAt } : undefined;
    if (!revision) this.#c.onLose();
  }

  async #run(): Promise<void> {
    const { directory } = this.#c;
    const { lease } = directory;
    const fresh = lease !== undefined && performance.now() - lease.seenAt < quietMs;
    if (fresh && !this.#isVacant(lease.record)) return;
    const held = await directory.store.get(key);
    if (held && !this.#isFree(held)) return;
    const term = (held ? actors.v1.Lease.decode(held.value).term : 0) + 1;
    const value = this.#lease(term, 0);
    const sentAt = performance.now();
    const revision = held
      ? await directory.store.update(key, value, held.revision)
      : await directory.store.create(key, value);
    if (!revision || this.#stopped) return;
    this.#leading = { term, beat: 0, revision, sentAt };
    try {
      await this.#c.onLead(term, revision);
    } catch (error) {
      await this.#giveBack();
      throw error;
    }
  }

  #isVacant({ endpoint }: Pick<actors.v1.Lease, "endpoint">): boolean {
    return !endpoint || this.#c.lost(endpoint);
  }

  #isFree({ value, revision }: Entry): boolean {
    if (this.#isVacant(actors.v1.Lease.decode(value))) return true;
    const now = performance.now();
    const before = this.#looked?.revision === revision && now - this.#looked.at < gapMs ? this.#looked : undefined;
    this.#looked = { revision, since: before?.since ?? now, at: now };
    return now - this.#looked.since >= coordinatorLeaseMs;
  }

  #lease(term: number, beat: number): Uint8Array {
    const { endpoint, node } = this.#c;
    return actors.v1.Lease.encode({ endpoint, node, term, beat }).finish();
  }
}

/** The endpoint that holds the lease, by the store itself; "" when none does. */
export async function leaseHolder({ store }: Directory): Promise<string> {
  const held = await store.get(key);
  return held ? actors.v1.Lease.decode(held.value).endpoint : "";
}

/** Frees the lease of a node that ends, or whose process is known to have ended. The term stays: terms only grow. */
export async function freeLease({ store }: Directory, node: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const held = await store.get(key);
    const lease = held && actors.v1.Lease.decode(held.value);
    if (!held || lease?.node !== node) return;
    const vacant = actors.v1.Lease.encode({ endpoint: "", node: "", term: lease.term, beat: 0 }).finish();
    if (await store.update(key, vacant, held.revision)) return; // else its last beat came between
  }
}
