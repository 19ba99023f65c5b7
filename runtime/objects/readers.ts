import { closeReader, NativeError, openSegment, readSegment, type SegmentReader } from "../../native/index.js";
import { holds, type Place, pathOf } from "./segment.js";

const most = 64;
const idleMs = 10_000;
const sweepMs = 2_000;

/**
 * Lasting mappings of other processes' segments, for payloads that have one receiver: the next one in the same segment
 * finds its pages mapped, which is ten times faster. Let go after ten seconds without use.
 */
export class Readers {
  /** The longest unused first. */
  readonly #open = new Map<string, { reader: SegmentReader; usedAt: number }>();
  #sweep: NodeJS.Timeout | undefined;

  /** The object's memory for as long as anything refers to it; undefined when it does not lie there. */
  read(place: Place, id: string): ArrayBuffer | undefined {
    const path = pathOf(place);
    return this.#read(path, id, this.#open.get(path)?.reader) ?? this.#read(path, id, openReader(path));
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const { reader } of this.#open.values()) closeReader(reader);
    this.#open.clear();
  }

  #read(path: string, id: string, reader: SegmentReader | undefined): ArrayBuffer | undefined {
    if (!reader) return undefined;
    const buffer = readSegment(reader);
    this.#open.delete(path);
    if (!buffer || !holds(buffer, id)) {
      closeReader(reader); // another segment by now, under the same number
      return undefined;
    }
    this.#open.set(path, { reader, usedAt: performance.now() });
    if (this.#open.size > most) this.#letGo(this.#open.keys().next().value!);
    this.#sweep ??= setInterval(() => this.#idle(), sweepMs).unref();
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
    closeReader(this.#open.get(path)!.reader);
    this.#open.delete(path);
  }
}

function openReader(path: string): SegmentReader | undefined {
  try {
    return openSegment(path) ?? undefined;
  } catch (error) {
    if (error instanceof NativeError && (error.code === "IO" || error.code === "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}
