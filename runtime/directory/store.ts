/** A small consistent key-value store with watches: JetStream KV on a cluster, a map in one process. */
export interface Store {
  get(key: string): Promise<Entry | undefined>;
  /** Only when the key is absent. Resolves to the new revision, or 0 when the key is there. */
  create(key: string, value: Uint8Array): Promise<number>;
  /** Compare and set. Resolves to the new revision, or 0 when the key's revision is not this one any more. */
  update(key: string, value: Uint8Array, revision: number): Promise<number>;
  delete(key: string): Promise<void>;
  /** Every present entry, then each change; `ready` resolves once the present ones have been seen. Survives reconnects. */
  watch(changed: (entry: Entry) => void): Promise<() => void>;
}

export interface Entry {
  key: string;
  /** Empty when the key was deleted. */
  value: Uint8Array;
  revision: number;
  deleted: boolean;
}

export class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>();
  readonly #watchers = new Set<(entry: Entry) => void>();
  #revision = 0;

  get(key: string): Promise<Entry | undefined> {
    const entry = this.#entries.get(key);
    return Promise.resolve(entry);
  }

  create(key: string, value: Uint8Array): Promise<number> {
    const taken = this.#entries.has(key);
    return Promise.resolve(taken ? 0 : this.#put(key, value, false));
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number> {
    const current = this.#entries.get(key)?.revision === revision;
    return Promise.resolve(current ? this.#put(key, value, false) : 0);
  }

  delete(key: string): Promise<void> {
    this.#put(key, new Uint8Array(), true);
    this.#entries.delete(key);
    return Promise.resolve();
  }

  watch(changed: (entry: Entry) => void): Promise<() => void> {
    for (const entry of this.#entries.values()) changed(entry);
    this.#watchers.add(changed);
    return Promise.resolve(() => this.#watchers.delete(changed));
  }

  #put(key: string, value: Uint8Array, deleted: boolean): number {
    const entry = { key, value, deleted, revision: ++this.#revision };
    this.#entries.set(key, entry);
    for (const tell of this.#watchers) tell(entry);
    return entry.revision;
  }
}
