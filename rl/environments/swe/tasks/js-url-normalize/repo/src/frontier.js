import { normalize } from "./normalize.js";

/** Pages still to be visited, each once. */
export class Frontier {
  #seen = new Set();
  #waiting = [];

  /** Whether it is new. */
  add(url, base) {
    const page = normalize(url, base);
    if (page === null || this.#seen.has(page)) return false;
    this.#seen.add(page);
    this.#waiting.push(page);
    return true;
  }

  next() {
    return this.#waiting.shift();
  }
}
