import { systemClock } from "./clock.js";

/** Accepts up to `limit` requests of each client in a window. */
export class RateLimiter {
  #limit;
  #windowMs;
  #clock;
  #counts = new Map();

  constructor({ limit, windowMs, clock = systemClock }) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  get size() {
    return this.#counts.size;
  }

  take(client) {
    const window = Math.floor(this.#clock.now() / this.#windowMs);
    const held = this.#counts.get(client);
    const count = held?.window === window ? held.count + 1 : 1;
    this.#counts.set(client, { window, count });
    return { accepted: count <= this.#limit };
  }
}
