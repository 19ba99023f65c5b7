import { availableParallelism } from "node:os";

/** The fewest at once, where a single one that hangs must not hold up all others. */
const least = 2;

/**
 * Turns to load a worker: a thread or process computes until its modules are there, and a hundred at once would starve
 * their own node's heartbeats. A turn ends before the actor's code runs, which may wait for children of its own.
 */
export class Boots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce = Math.max(least, availableParallelism())) {
    this.#free = atOnce;
  }

  /** @returns what ends the turn; more than once is as once */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}

/** Of this process. */
export const boots = new Boots();
