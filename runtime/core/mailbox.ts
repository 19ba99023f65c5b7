import type { EndpointId } from "./ids.js";

/** @param ask the number of the WANT that is answered */
export type TellRoom = (to: EndpointId, calls: number, ask: number) => void;

const rememberMs = 60_000; // nothing sent is on the way for longer
const fewRefused = 1024;

/**
 * Calls that wait, at most `limit` of them. Who finds it full is refused from then on, so that no later call overtakes
 * an earlier one, until it says that it holds back. Then it is told when there is room, together with the others.
 */
export class Mailbox<T extends { readonly from: EndpointId; readonly waits: boolean }> {
  readonly limit: number;
  readonly #tellRoom: TellRoom;
  readonly #queue: T[] = [];
  /** Made when first needed: most mailboxes never are full. */
  #refused: Map<EndpointId, number> | undefined;
  /** With what they asked by last. */
  #waiting: Map<EndpointId, number> | undefined;
  #closed = false;
  /** Whether a call came since it was closed. */
  knocked = false;

  constructor(limit: number, tellRoom: TellRoom) {
    this.limit = limit;
    this.#tellRoom = tellRoom;
  }

  get size(): number {
    return this.#queue.length;
  }

  /** @param atOnce the call would not wait */
  admits(call: T, atOnce: boolean): boolean {
    if (this.#closed) this.knocked = true;
    else if ((atOnce || this.#queue.length < this.limit) && !this.#refused?.has(call.from)) return true;
    if (call.waits) this.#refuse(call.from);
    return false;
  }

  /** Takes nothing, as if it were full, until it is opened. */
  close(): void {
    this.#closed = true;
    this.knocked = false;
  }

  open(): void {
    this.#closed = false;
    this.#shareRoom();
  }

  push(call: T): void {
    this.#queue.push(call);
  }

  shift(): T | undefined {
    const call = this.#queue.shift();
    if (this.#waiting && this.#isHalfEmpty) this.#shareRoom();
    return call;
  }

  /** The caller sends no more before it is told of room. */
  want(from: EndpointId, ask: number): void {
    this.#refused?.delete(from);
    this.#waiting ??= new Map();
    this.#waiting.set(from, ask);
    if (this.#isHalfEmpty) this.#shareRoom();
  }

  /** Empties it for good: who waits for room learns more from its next call. */
  takeAll(): T[] {
    const calls = this.#queue.splice(0);
    for (const [to, ask] of this.#waiting ?? []) this.#tellRoom(to, 1, ask);
    this.#waiting = undefined;
    return calls;
  }

  /** Callers that hold calls back. */
  get held(): number {
    return (this.#waiting?.size ?? 0) + (this.#refused?.size ?? 0);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#queue.values();
  }

  get #isHalfEmpty(): boolean {
    return !this.#closed && this.#queue.length <= this.limit / 2;
  }

  #shareRoom(): void {
    if (!this.#waiting) return;
    const callers = [...this.#waiting];
    this.#waiting = undefined;
    const share = Math.max(1, Math.floor((this.limit - this.#queue.length) / callers.length));
    for (const [to, ask] of callers) this.#tellRoom(to, share, ask);
  }

  #refuse(from: EndpointId): void {
    const now = performance.now();
    this.#refused ??= new Map();
    this.#refused.set(from, now);
    if (this.#refused.size <= fewRefused) return;
    for (const [caller, at] of this.#refused) if (now - at > rememberMs) this.#refused.delete(caller); // it died
  }
}
