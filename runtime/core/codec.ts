// `/pack` leaves out the native string reader: 30 ms of each process start, for half a microsecond a kilobyte.
import { addExtension, Packr } from "msgpackr/pack";

// Objects travel as records defined within each message, so that a Map stays a Map and no two messages share state.
const packr = new Packr({ useRecords: true, mapsAsObjects: false, moreTypes: true });

/** Plain data, typed arrays, Map, Set, Date, Error, BigInt, and handles. Functions and symbols are refused. */
export function encodeValue(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function decodeValue(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}

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

/** Decodes with handles bound by `bind`: a handle in a message belongs to the endpoint that receives it. */
export function decodeWith(bytes: Uint8Array, bind: Revive): unknown {
  const outer = revive;
  revive = bind;
  try {
    return packr.unpack(bytes);
  } finally {
    revive = outer;
  }
}

addExtension({
  Class: Serialisable as unknown as new () => Serialisable,
  type: 0x41,
  write: (handle: Serialisable) => handle.toState(),
  read: (state: HandleState) => (revive ? revive.handle(state) : state),
});

addExtension({
  Class: Source as unknown as new () => Source,
  type: 0x42,
  write: ({ state }: Source) => state,
  read: (state: SourceState) => (revive?.stream ? revive.stream(state) : state),
});
