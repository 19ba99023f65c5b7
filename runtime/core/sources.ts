import { Source } from "./codec.js";
import { ActorsError } from "./errors.js";
import type { EndpointId } from "./ids.js";

interface Offered {
  items: AsyncIterable<unknown>;
  read: boolean;
  reading: boolean;
  /** Told to whoever waits for the next item. */
  end: (() => void) | undefined;
  ended: boolean;
}

const ended = Symbol("ended");
const noStreams: readonly Source[] = [];

/** Streams that go with a call as arguments: its handler reads them from here, with credit, as it would read an actor's. */
export class Sources {
  readonly #at: EndpointId;
  readonly #offered = new Map<number, Offered>();
  readonly #onlyOnce = new WeakSet<object>();
  #nextId = 1;
  /** Told of a stream whose call ended while it was read: its reader may be dead, and so gives no more credit. */
  onCut: (id: number) => void = () => {};

  constructor(endpoint: EndpointId) {
    this.#at = endpoint;
  }

  /** @throws ActorsError INVALID_ARGUMENT for one that was passed before and cannot begin anew, as a generator cannot */
  offer(items: AsyncIterable<unknown>): Source {
    if (isOnlyOnce(items)) {
      if (this.#onlyOnce.has(items)) {
        throw new ActorsError(
          "INVALID_ARGUMENT",
          "this stream was passed to a call already, and can be read only once",
          {
            hint: "Make a new one for each call, or pass an object whose [Symbol.asyncIterator]() begins anew.",
          },
        );
      }
      this.#onlyOnce.add(items);
    }
    const id = this.#nextId++;
    this.#offered.set(id, { items, read: false, reading: false, end: undefined, ended: false });
    return new Source({ at: this.#at, id });
  }

  /** @returns the arguments with each stream replaced by where it can be read, and what replaced them */
  offerAll(args: unknown[]): { passed: unknown[]; streams: readonly Source[] } {
    if (!args.some(isAsyncIterable)) return { passed: args, streams: noStreams };
    const passed = args.map((each) => (isAsyncIterable(each) ? this.offer(each) : each));
    return { passed, streams: passed.filter((each) => each instanceof Source) };
  }

  /** @throws ActorsError NOT_FOUND after the end of the call; OUTCOME_UNKNOWN when some items went to an earlier reader */
  async *read(id: number): AsyncGenerator<unknown, void, undefined> {
    const offered = this.#offered.get(id);
    if (!offered) throw new ActorsError("NOT_FOUND", "this stream ended with the call that passed it");
    if (offered.read && isOnlyOnce(offered.items)) {
      throw new ActorsError("OUTCOME_UNKNOWN", "this stream was read in part by a handler that died", {
        hint: "Pass an object whose [Symbol.asyncIterator]() begins anew, so that an idempotent method can run again.",
      });
    }
    offered.read = true;
    offered.reading = true;
    const iterator = offered.items[Symbol.asyncIterator]();
    try {
      while (!offered.ended) {
        const next = await new Promise<IteratorResult<unknown> | typeof ended>((resolve, reject) => {
          offered.end = () => resolve(ended);
          iterator.next().then(resolve, reject);
        });
        if (next === ended || next.done) return;
        yield next.value;
      }
    } finally {
      offered.reading = false;
      leave(iterator);
    }
  }

  /** The call is over. */
  withdraw(id: number): void {
    const offered = this.#offered.get(id);
    if (!offered) return;
    this.#offered.delete(id);
    offered.ended = true;
    offered.end?.();
    if (offered.reading) this.onCut(id);
    if (!offered.read) leave(offered.items[Symbol.asyncIterator]());
  }
}

/** @throws ActorsError INVALID_ARGUMENT when there is one among what a method is told */
export function refuseStreams(method: string, args: unknown[]): void {
  if (!args.some(isAsyncIterable)) return;
  throw new ActorsError("INVALID_ARGUMENT", `${method} was told a stream, which lasts no longer than its call`, {
    hint: "Call the method and await it instead.",
  });
}

export const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/** Its `finally` runs; what that throws concerns no call any more. */
function leave(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => {});
}

const isOnlyOnce = (items: AsyncIterable<unknown>) => (items as object) === items[Symbol.asyncIterator]();
