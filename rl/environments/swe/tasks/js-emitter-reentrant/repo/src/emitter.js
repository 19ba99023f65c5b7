export class Emitter {
  #listeners = new Map();

  on(event, listener) {
    const all = this.#listeners.get(event) ?? [];
    all.push(listener);
    this.#listeners.set(event, all);
    return this;
  }

  once(event, listener) {
    const wrapped = (...args) => {
      this.off(event, wrapped);
      listener(...args);
    };
    return this.on(event, wrapped);
  }

  off(event, listener) {
    const all = this.#listeners.get(event) ?? [];
    const at = all.indexOf(listener);
    if (at >= 0) all.splice(at, 1);
    return this;
  }

  /** Whether anybody listened. */
  emit(event, ...args) {
    const all = this.#listeners.get(event) ?? [];
    for (const listener of all) listener(...args);
    return all.length > 0;
  }

  count(event) {
    return this.#listeners.get(event)?.length ?? 0;
  }
}
