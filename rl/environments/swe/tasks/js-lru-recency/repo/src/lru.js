/** Keeps the `limit` entries that were used last. */
export class Lru {
  #limit;
  #entries = new Map();

  constructor(limit) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError("limit must be a positive integer");
    this.#limit = limit;
  }

  get size() {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key) {
    return this.#entries.get(key);
  }

  /** Does not count as a use. */
  peek(key) {
    return this.#entries.get(key);
  }

  /** Does not count as a use. */
  has(key) {
    return this.#entries.has(key);
  }

  set(key, value) {
    if (this.#entries.size >= this.#limit) {
      const oldest = this.#entries.keys().next().value;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
    return this;
  }

  delete(key) {
    return this.#entries.delete(key);
  }

  /** Least recently used first. */
  keys() {
    return [...this.#entries.keys()];
  }
}
