/**
 * A set whose members come and go with every call. A member that is over is only counted, and swept out together with as
 * many others: unlike a Set, it looks nothing up by identity.
 */
export class Crowd<T extends { readonly over: boolean }> {
  #members: T[] = [];
  #present = 0;

  get size(): number {
    return this.#present;
  }

  add(member: T): void {
    this.#members.push(member);
    this.#present++;
  }

  /** One of its members is over since just now. */
  left(): void {
    this.#present--;
    if (this.#present === 0) this.#members.length = 0;
    else if (this.#members.length > 2 * this.#present + fewOver) this.#members = this.present();
  }

  /** In the order in which they came. */
  present(): T[] {
    return this.#members.filter(({ over }) => !over);
  }
}

const fewOver = 16;

/** One crowd for each key that has members. */
export class Crowds<K, T extends { readonly over: boolean }> {
  readonly #crowds = new Map<K, Crowd<T>>();

  add(key: K, member: T): void {
    let crowd = this.#crowds.get(key);
    if (!crowd) {
      crowd = new Crowd();
      this.#crowds.set(key, crowd);
    }
    crowd.add(member);
  }

  left(key: K): void {
    const crowd = this.#crowds.get(key)!;
    crowd.left();
    if (crowd.size === 0) this.#crowds.delete(key);
  }

  has(key: K): boolean {
    return this.#crowds.has(key);
  }

  present(key: K): T[] {
    return this.#crowds.get(key)?.present() ?? [];
  }
}
