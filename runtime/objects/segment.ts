// The layout of an object in shared memory or in a file: 64 bytes that say which object lies there, then its content.
import {
  createSegment,
  dropSegment,
  lockSegment,
  mapSegment,
  NativeError,
  type Segment,
  unlockSegment,
} from "../../native/index.js";

/** Where an object lies on its host: an open file of the process that owns it. */
export interface Place {
  pid: number;
  descriptor: number;
  /** Only one receiver will ever read it, and may do with it what it likes. */
  sole?: boolean;
}

export const headerBytes = 64;
const magic = 0x6a624f41;
const idBytes = 24;

export const pathOf = ({ pid, descriptor }: Place) => `/proc/${pid}/fd/${descriptor}`;

export function headerOf(id: string, bytes: number): Uint8Array {
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  view.setUint32(0, magic, true);
  view.setFloat64(8, bytes, true);
  header.set(Buffer.from(id, "latin1").subarray(0, idBytes), 16);
  return header;
}

/** Whether that object lies there, and not another one by now. */
export function holds(buffer: ArrayBuffer, id: string): boolean {
  if (buffer.byteLength < headerBytes) return false;
  const view = new DataView(buffer, 0, headerBytes);
  if (view.getUint32(0, true) !== magic || headerBytes + view.getFloat64(8, true) > buffer.byteLength) return false;
  return Buffer.from(buffer, 16, idBytes).toString("latin1").replace(/\0+$/, "") === id;
}

/** Maps an object for as long as anything refers to its buffer. Undefined when it does not lie there. */
export function mapObject(place: Place, id: string): ArrayBuffer | undefined {
  try {
    const buffer = mapSegment(pathOf(place));
    return buffer && holds(buffer, id) ? buffer : undefined;
  } catch (error) {
    if (error instanceof NativeError && (error.code === "IO" || error.code === "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}

export const placeOf = (at: Segment | number): Place => ({
  pid: process.pid,
  descriptor: typeof at === "number" ? at : at.descriptor,
});

/** Nobody maps it. Whoever opens it later asks the owner, for it no longer holds what was there. */
export function isIdle({ descriptor }: Segment): boolean {
  if (!lockSegment(descriptor)) return false;
  unlockSegment(descriptor);
  return true;
}

/** Memory classes, at most a quarter apart, so that what one object leaves fits the next of about its size. */
export function classOf(bytes: number): number {
  const step = 2 ** Math.max(14, Math.floor(Math.log2(bytes)) - 2);
  return Math.ceil(bytes / step) * step;
}

/** Segments of this process, kept when they are free: memory that was touched before is 30 times faster. */
export class Pool {
  readonly #free = new Map<number, { segment: Segment; since: number }[]>();
  /** Of all segments made and not dropped. */
  bytes = 0;
  /** Of those that hold nothing. */
  freeBytes = 0;

  /** A segment of at least that size, whose old readers are gone. */
  take(bytes: number): Segment | undefined {
    const size = classOf(bytes);
    const list = this.#free.get(size) ?? [];
    for (let i = list.length - 1; i >= 0; i--) {
      const { segment } = list[i]!;
      if (!lockSegment(segment.descriptor)) continue;
      new Uint8Array(segment.buffer, 0, headerBytes).fill(0); // whoever opens it from now on finds no object
      unlockSegment(segment.descriptor);
      list.splice(i, 1);
      this.freeBytes -= size;
      return segment;
    }
    return undefined;
  }

  /** @throws NativeError IO when memory has run out */
  make(bytes: number): Segment {
    const segment = createSegment(classOf(bytes));
    this.bytes += segment.buffer.byteLength;
    return segment;
  }

  give(segment: Segment): void {
    new Uint8Array(segment.buffer, 0, headerBytes).fill(0);
    const size = segment.buffer.byteLength;
    const list = this.#free.get(size);
    if (list) list.push({ segment, since: performance.now() });
    else this.#free.set(size, [{ segment, since: performance.now() }]);
    this.freeBytes += size;
  }

  /** Drops free segments, the longest unused first, until `enough`. @returns bytes dropped */
  trim(enough: (dropped: number) => boolean, unusedSince = Number.POSITIVE_INFINITY): number {
    let dropped = 0;
    const all = [...this.#free.values()].flat().sort((a, b) => a.since - b.since);
    for (const each of all) {
      if (enough(dropped) || each.since > unusedSince) break;
      const size = each.segment.buffer.byteLength;
      const list = this.#free.get(size)!;
      list.splice(list.indexOf(each), 1);
      this.freeBytes -= size;
      this.drop(each.segment);
      dropped += size;
    }
    return dropped;
  }

  drop(segment: Segment): void {
    this.bytes -= segment.buffer.byteLength;
    dropSegment(segment);
  }
}
