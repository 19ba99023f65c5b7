/** How long workers had nothing to do, in seconds averaged over them: 8 of 64 idle for 4 s are 0.5 s. */
export class OccupancyClock {
  readonly #workers: number;
  readonly #now: () => number;
  #busy = 0;
  #since: number;
  #idle = 0;

  /** @param now milliseconds */
  constructor(workers: number, now: () => number = () => performance.now()) {
    this.#workers = workers;
    this.#now = now;
    this.#since = now();
  }

  /** So many tasks more, or fewer; beyond the workers they queue. */
  add(tasks: number): void {
    this.#settle();
    this.#busy += tasks;
  }

  /** What has added up since it was last taken. */
  take(): number {
    this.#settle();
    const seconds = this.#idle / 1000;
    this.#idle = 0;
    return seconds;
  }

  #settle(): void {
    const now = this.#now();
    this.#idle += (now - this.#since) * Math.max(0, 1 - this.#busy / this.#workers);
    this.#since = now;
  }
}
