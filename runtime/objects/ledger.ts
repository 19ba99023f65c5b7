import { createSegment, mapFile } from "../../native/index.js";
import { pathOf } from "./segment.js";

/** What the objects of one node may take, in bytes. */
export interface ObjectLimits {
  memory: number;
  disk: number;
}

const slots = 4096;
const columns = 3; // pid, KiB of memory, KiB of disk
const tableBytes = slots * columns * 4;
type Column = 1 | 2;

/**
 * What all processes of a node hold together: a table in shared memory, a row for each process and thread. Rows of
 * processes that have ended do not count, and are taken again.
 */
export class Ledger {
  readonly limits: ObjectLimits;
  /** For other processes of the node. */
  readonly path: string;
  readonly #table: Int32Array;
  readonly #row: number;

  /** @param path another process's ledger; its own without one */
  constructor(limits: ObjectLimits, path?: string) {
    this.limits = limits;
    if (path === undefined) {
      const { descriptor, buffer } = createSegment(tableBytes);
      this.#table = new Int32Array(buffer);
      this.path = pathOf({ pid: process.pid, descriptor });
    } else {
      this.#table = new Int32Array(mapFile(path, tableBytes, true));
      this.path = path;
    }
    this.#row = this.#take();
  }

  get memory(): number {
    return this.#sum(1);
  }

  get disk(): number {
    return this.#sum(2);
  }

  /** @param now what this process or thread holds */
  set(now: ObjectLimits): void {
    Atomics.store(this.#table, this.#row + 1, Math.ceil(now.memory / 1024));
    Atomics.store(this.#table, this.#row + 2, Math.ceil(now.disk / 1024));
  }

  close(): void {
    this.set({ memory: 0, disk: 0 });
    Atomics.store(this.#table, this.#row, 0);
  }

  #take(): number {
    for (let tries = 0; tries < 2; tries++) {
      for (let row = 0; row < this.#table.length; row += columns) {
        if (Atomics.compareExchange(this.#table, row, 0, process.pid) === 0) return row;
      }
      this.#sum(1); // frees the rows of the dead
    }
    throw new Error(`more than ${slots} processes and threads hold objects on one node`);
  }

  #sum(column: Column): number {
    let kib = 0;
    for (let row = 0; row < this.#table.length; row += columns) {
      const pid = Atomics.load(this.#table, row);
      if (pid === 0) continue;
      if (pid === process.pid || runs(pid)) kib += Atomics.load(this.#table, row + column);
      else {
        Atomics.store(this.#table, row + 1, 0);
        Atomics.store(this.#table, row + 2, 0);
        Atomics.compareExchange(this.#table, row, pid, 0);
      }
    }
    return kib * 1024;
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
