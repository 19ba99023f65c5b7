// `/pack` leaves out the native string reader: 30 ms of each process start, for half a microsecond a kilobyte.
import { addExtension, Packr } from "msgpackr/pack";

// Objects travel as records defined within each message, so that a Map stays a Map and no two messages share state.
const packr = new Packr({ useRecords: true, mapsAsObjects: false, moreTypes: true });

/** Plain data, typed arrays, Map, Set, Date, Error, BigInt, handles and object references. Functions and symbols are refused. */
export function encodeValue(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function decodeValue(bytes: Uint8Array): unknown {
  const outer = source;
  source = bytes;
  try {
    return packr.unpack(bytes);
  } finally {
    source = outer;
  }
}

/** A value whose large typed arrays are still where they were: to be copied once, to where they shall lie. */
export interface Encoded {
  readonly head: Uint8Array;
  readonly parts: readonly ArrayBufferView[];
  /** Of all `pieces`. */
  readonly bytes: number;
}

/** @param least bytes from which a typed array is left apart */
export function encodeApart(value: unknown, least: number): Encoded {
  const outer = apart;
  const own = { least, parts: undefined as ArrayBufferView[] | undefined, bytes: 0 };
  apart = own;
  try {
    const head = packr.pack(value);
    if (!own.parts) return { head, parts: none, bytes: head.length };
    return { head, parts: own.parts, bytes: align(head.length) + own.bytes };
  } finally {
    apart = outer;
  }
}

/**
 * The bytes of a value in the order in which they shall lie, from a place that is a multiple of 64 in its buffer. There it
 * is decoded from the head alone: large typed arrays become views of what follows it.
 * @param most bytes of one piece
 */
export function* pieces(
  { head, parts }: Encoded,
  most = Number.POSITIVE_INFINITY,
): Generator<Uint8Array, void, undefined> {
  yield head;
  let last = head.length;
  for (const part of parts) {
    if (align(last) > last) yield padding.subarray(0, align(last) - last);
    for (let start = 0; start < part.byteLength; start += most) {
      const length = Math.min(most, part.byteLength - start);
      yield new Uint8Array(part.buffer, part.byteOffset + start, length);
    }
    last = part.byteLength;
  }
  if (parts.length > 0 && align(last) > last) yield padding.subarray(0, align(last) - last);
}

const padding = new Uint8Array(64);
const none: readonly ArrayBufferView[] = [];
const align = (n: number) => Math.ceil(n / 64) * 64;

/** What a handle becomes inside a message. */
export interface HandleState {
  id: string;
  def: string;
  methods: string[];
}

/** Base of handles; here so that the codec can carry them. */
export abstract class Serialisable {
  abstract toState(): HandleState;
}

/** A stream that an endpoint offers. */
export interface SourceState {
  /** The endpoint. */
  at: string;
  id: number;
}

/** Stands in a message for a stream that its receiver reads from the sender. */
export class Source {
  readonly state: SourceState;
  constructor(state: SourceState) {
    this.state = state;
  }
}

/** What handles and streams become at the endpoint that receives them. */
export interface Revive {
  handle(state: HandleState): unknown;
  stream?(state: SourceState): unknown;
}
let revive: Revive | undefined;
/** The message that is being decoded, and the one being encoded with its large arrays left apart. */
let source: Uint8Array | undefined;
let apart: { least: number; parts: ArrayBufferView[] | undefined; bytes: number } | undefined;

/** Decodes with handles bound by `bind`: a handle in a message belongs to the endpoint that receives it. */
export function decodeWith(bytes: Uint8Array, bind: Revive): unknown {
  const outer = revive;
  revive = bind;
  try {
    return decodeValue(bytes);
  } finally {
    revive = outer;
  }
}

/** Lets a class's instances travel: as plain data, made whole again by `read`. @param type unique, above 0x40 */
export function carry<T extends object, S>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever its constructor takes
  Class: abstract new (...args: any[]) => T,
  type: number,
  write: (value: T) => S,
  read: (state: S) => unknown,
): void {
  addExtension({ Class: Class as unknown as new () => T, type, write, read: read as never });
}

carry(
  Serialisable,
  0x41,
  (handle) => handle.toState(),
  (state) => (revive ? revive.handle(state) : state),
);

carry(
  Source,
  0x42,
  ({ state }) => state,
  (state) => (revive?.stream ? revive.stream(state) : state),
);

const kinds = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
] as const;

/** The typed arrays that are left apart now: to msgpackr, which asks by instanceof, they are of a class of their own. */
const Apart = {
  [Symbol.hasInstance](value: unknown): boolean {
    return apart !== undefined && ArrayBuffer.isView(value) && value.byteLength >= apart.least && kindOf(value) >= 0;
  },
};

carry(
  Apart as unknown as abstract new () => ArrayBufferView,
  0x46,
  (view): [kind: number, start: number, bytes: number] => {
    const start = apart!.bytes;
    apart!.parts ??= [];
    apart!.parts.push(view);
    apart!.bytes += align(view.byteLength);
    return [kindOf(view), start, view.byteLength];
  },
  ([kind, start, bytes]) => {
    const { buffer, byteOffset, length } = source!;
    const Kind = kinds[kind]! as typeof Uint8Array;
    return new Kind(buffer, align(byteOffset + length) + start, bytes / (Kind.BYTES_PER_ELEMENT ?? 1));
  },
);

/** A Buffer is a Uint8Array. */
function kindOf(view: ArrayBufferView): number {
  if (view instanceof Uint8Array) return 0;
  return (kinds as readonly unknown[]).indexOf(view.constructor);
}
