import { Crowd } from "./crowd.js";

const tickMs = 20;

/** One coarse timer for all deadlines of an endpoint: a call costs two look-ups of a small number, not a timer. */
export class Deadlines<T extends { readonly deadline: number; readonly over: boolean }> {
  readonly #buckets = new Map<number, Crowd<T>>();
  readonly #expired: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #at = 0;

  constructor(expired: (item: T) => void) {
    this.#expired = expired;
  }

  add(item: T): void {
    const at = bucketOf(item.deadline);
    let bucket = this.#buckets.get(at);
    if (!bucket) {
      bucket = new Crowd();
      this.#buckets.set(at, bucket);
    }
    bucket.add(item);
    this.#size++;
    if (this.#timer) return;
    this.#at = bucketOf(performance.now());
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  /** It is over since just now, and was added unless its deadline is Infinity. */
  remove({ deadline }: T): void {
    const bucket = this.#buckets.get(bucketOf(deadline));
    if (!bucket) return; // it has expired
    bucket.left();
    this.#size--;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#buckets.clear();
    this.#size = 0;
  }

  #tick(): void {
    const now = bucketOf(performance.now());
    for (; this.#at < now; this.#at++) {
      const due = this.#buckets.get(this.#at);
      if (!due) continue;
      this.#buckets.delete(this.#at);
      this.#size -= due.size;
      for (const item of due.present()) if (!item.over) this.#expired(item);
    }
    if (this.#size === 0) this.close();
  }
}

const bucketOf = (time: number) => Math.ceil(time / tickMs);
