import { ActorsError } from "./errors.js";
import type { ActorId } from "./ids.js";
import type { Frame } from "./outbox.js";
import type { Pending } from "./pending.js";

const maxBytes = 48 << 20;
const overhead = 256;

/** A tell that came back, or was never sent. */
export interface Told {
  readonly id: number;
  readonly payload: Uint8Array;
  readonly frame: Frame;
  sent(): void;
}

export type Held = Pending | Told;

/** What waits for room in one mailbox, in the order it was made. */
export class Hold {
  readonly actor: ActorId;
  readonly shared: boolean;
  /** The incarnation whose mailbox it is. */
  readonly epoch: number;
  /** Only the answer to the last ask counts: to an earlier one this side may have sent already. */
  ask = 0;
  /** When room was last asked for, on `performance.now()`'s clock. */
  askedAt = 0;
  #returned = new Map<number, Held>(); // was sent, so it is older than all that never was
  readonly #kept = new Map<number, Held>();
  #lastReturned = 0;
  #bytes = 0;

  constructor(actor: ActorId, shared: boolean, epoch: number) {
    this.actor = actor;
    this.shared = shared;
    this.epoch = epoch;
  }

  get size(): number {
    return this.#returned.size + this.#kept.size;
  }

  /** Whether it was sent after something that came back, and so comes back too, if it came there at all. */
  follows(id: number): boolean {
    const [first] = this.#returned.keys();
    return first !== undefined && first < id;
  }

  /** What the mailbox had no room for. */
  takeBack(held: Held): void {
    this.#returned.set(held.id, held);
    this.#bytes += held.payload.length + overhead;
    if (held.id < this.#lastReturned) {
      // A repeat of an older call, after a lost link.
      this.#returned = new Map([...this.#returned].sort(([a], [b]) => a - b));
    } else this.#lastReturned = held.id;
  }

  /** @throws ActorsError OVERLOADED when 48 MiB are held already */
  keep(held: Held): void {
    if (this.#bytes > maxBytes) {
      throw new ActorsError("OVERLOADED", `the mailbox of ${this.actor} is full, and 48 MiB wait here for room in it`, {
        hint: "Await answers, or what tell returns, before sending more.",
      });
    }
    this.#kept.set(held.id, held);
    this.#bytes += held.payload.length + overhead;
  }

  forget({ id, payload }: Held): void {
    if (this.#returned.delete(id) || this.#kept.delete(id)) this.#bytes -= payload.length + overhead;
  }

  /** @returns at most so many, the oldest first, which are no longer held */
  take(count: number): Held[] {
    const taken: Held[] = [];
    for (const waiting of [this.#returned, this.#kept]) {
      for (const held of waiting.values()) {
        if (taken.length >= count) break;
        taken.push(held);
      }
    }
    for (const held of taken) this.forget(held);
    return taken;
  }
}
