import { carry } from "../core/codec.js";
import type { EndpointId } from "../core/ids.js";
import type { Place } from "./segment.js";

/** What a reference is made of; all of it travels. */
export interface RefState {
  id: string;
  /** Actor or client that put it: the object ends with it. */
  owner: string;
  /** Where its owner answers. */
  endpoint: EndpointId;
  /** Empty for a client. */
  node: string;
  /** Processes of one host can map each other's memory. */
  host: string;
  bytes: number;
  /** Of its content: what is decoded, see `pieces`. */
  head: number;
  /** Where it was first. Its owner knows where it is now. */
  place?: Place;
  /** A small value is its own reference. */
  inline?: Uint8Array;
}

/** Names a value that was put; small itself, so it may travel in arguments and results. `system.get` gives the value. */
export class ObjectRef<T = unknown> {
  readonly state: Readonly<RefState>;
  /** For the compiler alone. */
  declare readonly type?: T;

  constructor(state: RefState) {
    this.state = state;
  }
  get id(): string {
    return this.state.id;
  }
  get owner(): string {
    return this.state.owner;
  }
  get bytes(): number {
    return this.state.bytes;
  }
  toJSON(): string {
    return `object(${this.id})`;
  }
}

type Packed = [string, string, EndpointId, string, string, number, number, Place | undefined, Uint8Array | undefined];

carry(
  ObjectRef,
  0x45,
  ({ state }): Packed => {
    const { id, owner, endpoint, node, host, bytes, head, place, inline } = state;
    return [id, owner, endpoint, node, host, bytes, head, place, inline];
  },
  ([id, owner, endpoint, node, host, bytes, head, place, inline]: Packed) =>
    new ObjectRef({
      id,
      owner,
      endpoint,
      node,
      host,
      bytes,
      head,
      ...(place && { place }),
      // Not a view of the message, nor of the pool it may have come from.
      ...(inline && { inline: new Uint8Array(inline) }),
    }),
);
