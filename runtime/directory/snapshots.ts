import { ActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import type { Store } from "./store.js";

/** Where the state of actors outlives their incarnations. */
export interface Snapshots {
  /** The newest state kept, encoded. */
  load(id: ActorId): Promise<Uint8Array | undefined>;
  /** @throws ActorsError NOT_HERE when a later incarnation has kept its own, OVERLOADED when it is too large */
  save(id: ActorId, epoch: number, state: Uint8Array): Promise<void>;
  remove(id: ActorId): Promise<void>;
}

const epochBytes = 4;

/** One key an actor: epoch (uint32, little-endian), then the state. */
export class StoredSnapshots implements Snapshots {
  readonly #open: () => Promise<Store>;
  readonly #maxBytes: number;
  #store: Promise<Store> | undefined;

  /** @param open called when the first state is kept or asked for */
  constructor(open: () => Promise<Store>, maxBytes = Number.POSITIVE_INFINITY) {
    this.#open = open;
    this.#maxBytes = maxBytes;
  }

  async load(id: ActorId): Promise<Uint8Array | undefined> {
    const entry = await (await this.#opened()).get(keyOf(id));
    return entry?.value.subarray(epochBytes);
  }

  async save(id: ActorId, epoch: number, state: Uint8Array): Promise<void> {
    if (state.length > this.#maxBytes) {
      throw new ActorsError(
        "OVERLOADED",
        `a snapshot of ${state.length} bytes is over the limit of ${this.#maxBytes}`,
        {
          hint: "Keep large data in files, and their paths in the snapshot.",
        },
      );
    }
    const store = await this.#opened();
    const value = Buffer.alloc(epochBytes + state.length);
    value.writeUInt32LE(epoch, 0);
    value.set(state, epochBytes);
    for (;;) {
      const before = await store.get(keyOf(id));
      const keptBy = before ? Buffer.from(before.value).readUInt32LE(0) : 0;
      if (keptBy > epoch) throw new ActorsError("NOT_HERE", `incarnation ${keptBy} of ${id} has kept its own state`);
      const revision = await (before
        ? store.update(keyOf(id), value, before.revision)
        : store.create(keyOf(id), value));
      if (revision > 0) return;
    }
  }

  async remove(id: ActorId): Promise<void> {
    const store = await this.#opened();
    if (await store.get(keyOf(id))) await store.delete(keyOf(id));
  }

  #opened(): Promise<Store> {
    this.#store ??= this.#open();
    this.#store.catch(() => {
      this.#store = undefined; // the next one tries again
    });
    return this.#store;
  }
}

const keyOf = (id: ActorId) => `state.${id}`;
