import { byNumber } from "./compare.js";

export class Heap {
  #items = [];
  #compare;

  constructor(compare = byNumber) {
    this.#compare = compare;
  }

  get size() {
    return this.#items.length;
  }

  push(item) {
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
  }

  pop() {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return top;
  }

  /** Whether it was there. */
  remove(item) {
    const at = this.#items.indexOf(item);
    if (at < 0) return false;
    this.#items[at] = this.#items.pop();
    this.#sink(at);
    return true;
  }

  #rise(at) {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(this.#items[at], this.#items[parent]) >= 0) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(at) {
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#items.length && this.#compare(this.#items[child], this.#items[least]) < 0) least = child;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(i, j) {
    [this.#items[i], this.#items[j]] = [this.#items[j], this.#items[i]];
  }
}
