/** Steps under one key run one after the other, in the order they were asked for; other keys do not wait. */
export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>();

  /** @returns what the step does; its failure does not stop the next one */
  run<T>(key: string, step: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(step);
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return mine;
  }

  /** Resolves once the steps asked for so far are done. */
  async idle(key: string): Promise<void> {
    await this.#last.get(key);
  }
}
