const tickMs = 20;

/** One coarse timer for all deadlines of an endpoint: a call costs two map operations, not a timer. */
export class Deadlines<T extends { deadline: number }> {
  readonly #buckets = new Map<number, Set<T>>();
  readonly #expired: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #at = 0;

  constructor(expired: (item: T) => void) {
    this.#expired = expired;
  }

  add(item: T): void {
    const bucket = bucketOf(item.deadline);
    let set = this.#buckets.get(bucket);
    if (!set) {
      set = new Set();
      this.#buckets.set(bucket, set);
    }
    set.add(item);
    if (this.#size++ === 0) {
      this.#at = bucketOf(performance.now());
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
    }
  }

  remove(item: T): void {
    const bucket = bucketOf(item.deadline);
    const set = this.#buckets.get(bucket);
    if (!set?.delete(item)) return;
    if (set.size === 0) this.#buckets.delete(bucket);
    if (--this.#size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = bucketOf(performance.now());
    for (; this.#at < now; this.#at++) {
      const due = this.#buckets.get(this.#at);
      if (!due) continue;
      this.#buckets.delete(this.#at);
      this.#size -= due.size;
      for (const item of due) this.#expired(item);
    }
    if (this.#size === 0) this.close();
  }
}

const bucketOf = (time: number) => Math.ceil(time / tickMs);
