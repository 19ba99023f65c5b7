import { systemClock } from "./clock.js";

export class LockManager {
  #locks = new Map();
  #waiting = new Map();
  #clock;

  constructor(clock = systemClock) {
    this.#clock = clock;
  }

  held(name) {
    return this.#locks.has(name);
  }

  async acquire(name, { ttlMs, waitMs = 0 }) {
    const lock = this.#locks.get(name);
    if (!lock || lock.until < this.#clock.now()) return this.#grant(name, ttlMs);
    if (waitMs === 0) return null;
    return new Promise((resolve) => {
      const all = this.#waiting.get(name) ?? [];
      all.unshift(() => resolve(this.#grant(name, ttlMs)));
      this.#waiting.set(name, all);
      this.#clock.setTimeout(() => resolve(null), waitMs);
    });
  }

  #grant(name, ttlMs) {
    const lock = { until: this.#clock.now() + ttlMs };
    this.#locks.set(name, lock);
    return {
      name,
      renew: (ms = ttlMs) => {
        lock.until = this.#clock.now() + ms;
        return true;
      },
      release: () => {
        this.#locks.delete(name);
        this.#waiting.get(name)?.shift()?.();
        return true;
      },
    };
  }
}
