import {
  closeReader,
  NativeError,
  openSegment,
  prepareRead,
  type SegmentReader,
  startRead,
} from "../../native/index.js";
import { holds, type Place, pathOf } from "./segment.js";

const most = 64;
const idleMs = 10_000;
const sweepMs = 2_000;

interface Open {
  readonly reader: SegmentReader;
  /** For the next payload. */
  next: ArrayBuffer | undefined;
  usedAt: number;
}

/**
 * Lasting mappings of other processes' segments, for payloads that have one receiver: the next one in the same segment
 * finds its pages mapped, which is ten times faster, and its buffer made, which may take a garbage collection. Let go
 * after ten seconds without use.
 */
export class Readers {
  /** The longest unused first. */
  readonly #open = new Map<string, Open>();
  #sweep: NodeJS.Timeout | undefined;

  /** The object's memory for as long as anything refers to it; undefined when it does not lie there. */
  read(place: Place, id: string): ArrayBuffer | undefined {
    const path = pathOf(place);
    return this.#read(path, id, this.#open.get(path)) ?? this.#read(path, id, open(path));
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const path of [...this.#open.keys()]) this.#letGo(path);
  }

  #read(path: string, id: string, at: Open | undefined): ArrayBuffer | undefined {
    if (!at) return undefined;
    const buffer = at.next ?? prepareRead(at.reader);
    at.next = undefined;
    this.#open.delete(path);
    if (!buffer || !startRead(at.reader) || !holds(buffer, id)) {
      closeReader(at.reader); // another segment by now, under the same number
      return undefined;
    }
    at.usedAt = performance.now();
    this.#open.set(path, at);
    if (this.#open.size > most) this.#letGo(this.#open.keys().next().value!);
    this.#sweep ??= setInterval(() => this.#idle(), sweepMs).unref();
    setImmediate(() => {
      if (this.#open.get(path) === at) at.next ??= prepareRead(at.reader) ?? undefined;
    });
    return buffer;
  }

  #idle(): void {
    const before = performance.now() - idleMs;
    for (const [path, { usedAt }] of this.#open) if (usedAt < before) this.#letGo(path);
    if (this.#open.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** What is still read is unmapped when it is no longer. */
  #letGo(path: string): void {
    const at = this.#open.get(path)!;
    at.next = undefined;
    closeReader(at.reader);
    this.#open.delete(path);
  }
}

function open(path: string): Open | undefined {
  try {
    const reader = openSegment(path);
    return reader ? { reader, next: undefined, usedAt: 0 } : undefined;
  } catch (error) {
    if (error instanceof NativeError && (error.code === "IO" || error.code === "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}
