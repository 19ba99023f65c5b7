import { createSegment, dropSegment, NativeError, type Segment } from "../../native/index.js";
import { ActorsError } from "../core/errors.js";
import { Ledger, type ObjectLimits } from "./ledger.js";
import { classOf, Pool } from "./segment.js";

const idleMs = 60_000; // free memory unused for so long goes back to the system
const sweepMs = 5_000;

/** The shared memory of one process or thread, within the budget of its node. */
export class Memory {
  readonly #limits: ObjectLimits;
  readonly #path: string | undefined;
  readonly #pool = new Pool();
  #ledger: Ledger | undefined;
  #usable: boolean | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #disk = 0;

  /** @param path of the ledger of the node's agent; its own without one */
  constructor(limits: ObjectLimits, path?: string) {
    this.#limits = limits;
    this.#path = path;
  }

  /** False without native code, or on a system without such memory. */
  get usable(): boolean {
    if (this.#usable !== undefined) return this.#usable;
    try {
      dropSegment(createSegment(1));
      this.#usable = true;
    } catch (error) {
      if (!(error instanceof NativeError)) throw error;
      this.#usable = false;
    }
    return this.#usable;
  }

  /** Made at first use. */
  get ledger(): Ledger {
    this.#ledger ??= new Ledger(this.#limits, this.#path);
    return this.#ledger;
  }

  /**
   * A segment, once there is room for it; undefined when there is none.
   * @param spill moves one object to disk, and its segment here; false when there is none to move
   */
  async take(bytes: number, spill: () => Promise<boolean>): Promise<Segment | undefined> {
    do {
      const segment = this.#pool.take(bytes) ?? (this.#trimFor(bytes) <= 0 ? this.#make(bytes) : undefined);
      if (segment) return segment;
    } while (await spill());
    return undefined;
  }

  /** The same without waiting, beyond the budget if it must be. @throws ActorsError RESOURCE_EXHAUSTED */
  takeNow(bytes: number): Segment {
    const old = this.#pool.take(bytes);
    if (old) return old;
    this.#trimFor(bytes);
    return this.#make(bytes);
  }

  get isOver(): boolean {
    return this.ledger.memory > this.#limits.memory;
  }

  give(segment: Segment): void {
    this.#pool.give(segment);
    this.#sweep ??= setInterval(() => this.#idle(), sweepMs).unref();
  }

  /** @throws ActorsError RESOURCE_EXHAUSTED when the node's objects have no room on disk either */
  claimDisk(bytes: number): void {
    const { disk, memory } = this.#limits;
    if (this.ledger.disk + bytes > disk) {
      throw new ActorsError(
        "RESOURCE_EXHAUSTED",
        `an object of ${bytes} bytes has no room: the node's objects take ${this.ledger.memory} of ${memory} bytes of memory and ${this.ledger.disk} of ${disk} of disk`,
        { hint: "Free what is not needed with `system.free`, or raise objects.memory or objects.disk in actors.yaml." },
      );
    }
    this.#disk += bytes;
    this.#note();
  }

  freeDisk(bytes: number): void {
    this.#disk -= bytes;
    this.#note();
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#pool.trim(() => false);
    this.#ledger?.close();
    this.#ledger = undefined;
  }

  #make(bytes: number): Segment {
    try {
      const segment = this.#pool.make(bytes);
      this.#note();
      return segment;
    } catch (cause) {
      if (!(cause instanceof NativeError)) throw cause;
      throw new ActorsError("RESOURCE_EXHAUSTED", `no memory for an object of ${bytes} bytes: ${cause.message}`, {
        cause,
        hint: "Lower objects.memory in actors.yaml: objects beyond it go to disk.",
      });
    }
  }

  /** Gives back free memory until there is room for so much. @returns bytes still over the budget then */
  #trimFor(bytes: number): number {
    const over = () => this.ledger.memory + classOf(bytes) - this.#limits.memory;
    const excess = over();
    if (excess > 0) this.#trim((dropped) => dropped >= excess);
    return excess > 0 ? over() : excess;
  }

  #idle(): void {
    this.#trim(() => false, performance.now() - idleMs);
    if (this.#pool.freeBytes > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #trim(enough: (dropped: number) => boolean, unusedSince?: number): void {
    this.#pool.trim(enough, unusedSince);
    this.#note();
  }

  #note(): void {
    this.ledger.set({ memory: this.#pool.bytes, disk: this.#disk });
  }
}
