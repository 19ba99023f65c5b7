// Payloads too large for a message lie in objects; the message only says where.
import { actors } from "#protos";
import { type Encoded, encodeApart, encodeValue } from "./codec.js";
import type { MethodSpec, ProtoType } from "./definition.js";
import { ActorsError, toFailure } from "./errors.js";
import type { EndpointId } from "./ids.js";
import type { Frame } from "./outbox.js";

const { FrameKind, Codec } = actors.v1;

/** Where such payloads go. */
export interface Bulk {
  /** Bytes from which a payload becomes an object. */
  readonly least: number;
  /**
   * Undefined where there is no shared memory: the payload then goes in the message, if it fits.
   * @param sole only one receiver will ever read it
   */
  keep(encoded: Encoded, use: BulkUse, sole: boolean): Kept | undefined;
  /** The payload that an object holds: at once when it is on this host. */
  open(reference: Uint8Array, use: BulkUse): Uint8Array | Promise<Uint8Array>;
  /** A tell's payload has found its mailbox, which does not read it again. */
  received(reference: Uint8Array): void;
}

/** A frame whose payload was put back. */
export interface Opened extends Frame {
  /** As it came: a full mailbox gives it back so. */
  readonly packed?: Frame;
}

/** Arguments of calls are let go by the caller, once answered; those of tells and results by whoever receives them. */
export type BulkUse = "argument" | "tell" | "result";

export interface Kept {
  /** What the message carries. */
  reference: Uint8Array;
  /** One more message carries it: it is freed when all have let go. */
  share(): void;
  release(): void;
}

export interface Packed {
  codec: actors.v1.Codec;
  payload: Uint8Array;
  /** Of a payload in an object: when this message needs it no more. */
  release: (() => void) | undefined;
  /** Of a payload in an object: before it goes in another message. */
  share?: () => void;
}

/** The arguments of several calls or tells, encoded once. What is large lies in one object until the last lets go of it. */
export class Parcel {
  #packed: Packed | undefined;

  /** For one more of them. */
  share(pack: () => Packed): Packed {
    this.#packed ??= pack();
    if (!this.#packed.share) return { ...this.#packed, payload: this.#packed.payload.slice() }; // values may be views of it
    this.#packed.share();
    return this.#packed;
  }

  /** There will be no more. */
  close(): void {
    this.#packed?.release?.();
  }
}

export function packArgs(
  method: MethodSpec,
  args: unknown[],
  bulk: Bulk | undefined,
  use: BulkUse,
  parcel: Parcel | undefined,
): Packed {
  if (parcel) return parcel.share(() => pack(method, args, bulk, use, false));
  return pack(method, args, bulk, use, !method.idempotent); // sent again, it is read by the next incarnation too
}

/** No arguments, or no result. */
export const nothing: Packed = { codec: Codec.NONE, payload: new Uint8Array(), release: undefined };

function pack(method: MethodSpec, args: unknown[], bulk: Bulk | undefined, use: BulkUse, sole: boolean): Packed {
  if (method.wire) return packMessage(method.wire.request, args[0], bulk, use, sole);
  if (args.length === 0) return nothing;
  return packValue(args, bulk, use, sole);
}

export function packValue(value: unknown, bulk: Bulk | undefined, use: BulkUse, sole = true): Packed {
  if (!bulk) return { codec: Codec.MSGPACK, payload: encodeValue(value), release: undefined };
  const encoded = encodeApart(value, bulk.least);
  if (encoded.bytes < bulk.least) return { codec: Codec.MSGPACK, payload: encoded.head, release: undefined };
  const kept = bulk.keep(encoded, use, sole);
  if (kept) return carried(Codec.MSGPACK_OBJECT, kept);
  const payload = encoded.parts.length > 0 ? encodeValue(value) : encoded.head;
  return { codec: Codec.MSGPACK, payload, release: undefined };
}

export function packMessage(
  type: ProtoType<never>,
  message: unknown,
  bulk: Bulk | undefined,
  use: BulkUse,
  sole = true,
): Packed {
  const payload = type.encode(message as never).finish();
  if (bulk && payload.length >= bulk.least) {
    const kept = bulk.keep({ head: payload, parts: [], bytes: payload.length }, use, sole);
    if (kept) return carried(Codec.PROTO_OBJECT, kept);
  }
  return { codec: Codec.PROTO, payload, release: undefined };
}

const carried = (codec: actors.v1.Codec, { reference: payload, release, share }: Kept): Packed => ({
  codec,
  payload,
  release,
  share,
});

export const isReference = (codec: Frame["codec"]) => codec === Codec.MSGPACK_OBJECT || codec === Codec.PROTO_OBJECT;

/** Puts such payloads back into the frames that come in, which keep their order while one waits for its object. */
export class Unloading {
  readonly #deliver: (from: EndpointId, frame: Frame) => void;
  readonly #answer: (to: EndpointId, frame: Frame) => void;
  /** Frames behind one whose object is on its way, for each actor a caller calls and for each call of ours. */
  readonly #lanes = new Map<string, (() => void | Promise<void>)[]>();
  /** Calls that wait in them. */
  readonly #calls = new Set<string>();
  bulk: Bulk | undefined;

  constructor(deliver: (from: EndpointId, frame: Frame) => void, answer: (to: EndpointId, frame: Frame) => void) {
    this.#deliver = deliver;
    this.#answer = answer;
  }

  pass(from: EndpointId, frame: Frame): void {
    const carried = isReference(frame.codec) && frame.kind !== FrameKind.FULL;
    if (this.#lanes.size === 0 && !carried) return this.#deliver(from, frame);
    const call = `${from} ${frame.id}`;
    if (frame.kind === FrameKind.CANCEL && this.#calls.delete(call)) return; // it never starts
    if (frame.kind === FrameKind.CALL) this.#calls.add(call);
    const lane = laneOf(from, frame);
    const cameAt = performance.now();
    const step = () => (carried ? this.#open(from, frame, cameAt) : this.#late(from, frame, cameAt));
    const queue = this.#lanes.get(lane);
    if (queue) queue.push(step);
    else {
      const waits = step();
      if (waits) void this.#drain(lane, waits);
    }
  }

  async #drain(lane: string, first: Promise<void>): Promise<void> {
    const queue: (() => void | Promise<void>)[] = [];
    this.#lanes.set(lane, queue);
    await first;
    for (let step = queue.shift(); step; step = queue.shift()) await step();
    this.#lanes.delete(lane);
  }

  #open(from: EndpointId, frame: Frame, cameAt: number): void | Promise<void> {
    const use = frame.kind === FrameKind.CALL ? "argument" : frame.kind === FrameKind.TELL ? "tell" : "result";
    const opened = (payload: Uint8Array) => {
      const codec = frame.codec === Codec.PROTO_OBJECT ? Codec.PROTO : Codec.MSGPACK;
      this.#late(from, changed(frame, { codec, payload, packed: frame }), cameAt);
    };
    const failed = (error: unknown) => {
      const failure: Frame = { kind: FrameKind.ERROR, id: frame.id ?? 0, error: toFailure(error) };
      if (frame.kind === FrameKind.TELL) return;
      if (frame.kind !== FrameKind.CALL) this.#deliver(from, failure);
      else if (this.#calls.delete(`${from} ${frame.id}`)) this.#answer(from, failure);
    };
    try {
      if (!this.bulk) throw new ActorsError("UNAVAILABLE", "a payload came as an object, and no objects are read here");
      const payload = this.bulk.open(frame.payload!, use);
      return payload instanceof Uint8Array ? opened(payload) : payload.then(opened).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** What waited has less time left. */
  #late(from: EndpointId, frame: Frame, cameAt: number): void {
    if (frame.kind === FrameKind.CALL && !this.#calls.delete(`${from} ${frame.id}`)) return;
    if (!frame.budgetMs) return this.#deliver(from, frame);
    const left = Math.round(frame.budgetMs - (performance.now() - cameAt));
    if (left > 0) this.#deliver(from, changed(frame, { budgetMs: left }));
  }
}

/** A copy: the original may be kept, to be sent again. Fields at their default lie on its prototype. */
const changed = (frame: Frame, change: Partial<Opened>): Frame =>
  Object.assign(Object.create(Object.getPrototypeOf(frame)), frame, change);

function laneOf(from: EndpointId, { kind, actor, id }: Frame): string {
  const called = kind === FrameKind.CALL || kind === FrameKind.TELL || kind === FrameKind.WANT;
  return called ? `${from} ${actor}` : `${id}`;
}
