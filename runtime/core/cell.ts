import type { ActorDef, MethodSpec } from "./definition.js";
import { ActorsError } from "./errors.js";
import type { ActorId } from "./ids.js";
import type { Credit } from "./stream.js";

const defaultMailbox = 4096;

/** One call that reached its actor. */
export interface Incoming {
  readonly method: string;
  readonly deadline: number;
  readonly credit: Credit | undefined;
  readonly cancelled: boolean;
  /** No one hears how it ends. */
  readonly oneWay: boolean;
  /** Made when first asked for: most handlers never do. */
  signal(): AbortSignal;
  args(method: MethodSpec): unknown[];
  reply(method: MethodSpec, value: unknown): void;
  item(method: MethodSpec, value: unknown): void;
  fail(error: unknown): void;
}

/** What a handler may ask about the call that runs it. Read it before the first await. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Unix milliseconds; Infinity when there is none. */
  readonly deadline: number;
}

const idle: CallContext = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

/** One incarnation of an actor: its instance, its mailbox, its rule of one handler at a time. */
export class Cell {
  readonly id: ActorId;
  readonly epoch: number;
  readonly def: ActorDef;
  readonly #instance: Record<string, (...args: unknown[]) => unknown>;
  readonly #limit: number;
  readonly #queue: Incoming[] = [];
  readonly #onError: (call: Incoming, error: unknown) => void;
  /** The runtime's own, ahead of every call that waits. */
  readonly #steps: (() => Promise<void>)[] = [];
  /** Told when a handler has run. */
  onHandled: (() => void) | undefined;
  #busy = false;
  #running = 0;
  #stopped: ActorsError | undefined;
  #drained: (() => void) | undefined;
  #current: Incoming | undefined;

  constructor(
    at: { id: ActorId; epoch: number; def: ActorDef; mailbox?: number },
    instance: object,
    onError: (call: Incoming, error: unknown) => void,
  ) {
    this.id = at.id;
    this.epoch = at.epoch;
    this.def = at.def;
    this.#limit = at.mailbox || defaultMailbox;
    this.#instance = instance as Record<string, (...args: unknown[]) => unknown>;
    this.#onError = onError;
  }

  get depth(): number {
    return this.#queue.length;
  }

  /** The call whose handler is starting now. */
  get current(): CallContext {
    const call = this.#current;
    if (!call) return idle;
    return { signal: call.signal(), deadline: performance.timeOrigin + call.deadline };
  }

  accept(call: Incoming): void {
    const method = this.def.methods.get(call.method);
    if (!method) {
      return this.#fail(
        call,
        new ActorsError("NOT_FOUND", `actor ${this.def.name} has no method ${call.method}`, {
          hint: `Its methods are ${[...this.def.methods.keys()].join(", ")}.`,
        }),
      );
    }
    if (this.#stopped) return call.fail(this.#stopped);
    if (method.shared) return void this.#run(method, call);
    if (this.#busy) {
      if (this.#queue.length >= this.#limit) {
        return this.#fail(
          call,
          new ActorsError(
            "OVERLOADED",
            `the mailbox of ${this.def.name}(${this.id}) holds its limit of ${this.#limit} calls`,
            {
              hint: "Await answers before sending more, or spawn with a larger `mailbox`.",
            },
          ),
        );
      }
      this.#queue.push(call);
      return;
    }
    void this.#runExclusive(method, call);
  }

  /** Runs a step when no exclusive handler does, and before the calls that wait. @param step never rejects */
  between(step: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#steps.push(() => step().then(resolve));
      if (!this.#busy) void this.#runExclusive();
    });
  }

  /** Refuses new calls, fails queued ones, waits for the handlers that run. */
  async stop(reason: ActorsError): Promise<void> {
    this.#stopped = reason;
    for (const call of this.#queue.splice(0)) call.fail(reason);
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  async #runExclusive(first?: MethodSpec, call?: Incoming): Promise<void> {
    this.#busy = true;
    let next = call;
    let method = first;
    while (next || this.#steps.length > 0) {
      const running = next ? this.#run(method!, next) : undefined;
      if (running) await running;
      for (let step = this.#steps.shift(); step; step = this.#steps.shift()) await step();
      do {
        next = this.#queue.shift();
      } while (next && (next.cancelled || next.deadline <= performance.now())); // no one waits for it any more
      if (next) method = this.def.methods.get(next.method)!;
    }
    this.#busy = false;
  }

  /** A promise only when the handler is asynchronous, so that plain ones cost no turn of the loop. */
  #run(method: MethodSpec, call: Incoming): Promise<void> | undefined {
    this.#running++;
    try {
      this.#current = call;
      const result = this.#instance[method.name]!(...call.args(method));
      this.#current = undefined;
      if (method.stream) return this.#pump(method, call, result as AsyncIterable<unknown>);
      if (typeof (result as PromiseLike<unknown> | undefined)?.then === "function")
        return this.#settle(method, call, result as Promise<unknown>);
      call.reply(method, result);
    } catch (error) {
      this.#current = undefined;
      this.#fail(call, error);
    }
    this.#done();
    return undefined;
  }

  async #settle(method: MethodSpec, call: Incoming, result: Promise<unknown>): Promise<void> {
    try {
      call.reply(method, await result);
    } catch (error) {
      this.#fail(call, error);
    }
    this.#done();
  }

  async #pump(method: MethodSpec, call: Incoming, items: AsyncIterable<unknown>): Promise<void> {
    const signal = call.signal();
    try {
      for await (const item of items) {
        await call.credit?.take(signal);
        if (signal.aborted) break; // leaving the loop runs the generator's finally
        call.item(method, item);
      }
      if (!signal.aborted) call.reply(method, undefined);
    } catch (error) {
      this.#fail(call, error);
    }
    this.#done();
  }

  #fail(call: Incoming, error: unknown): void {
    this.#onError(call, error);
    call.fail(error);
  }

  #done(): void {
    this.onHandled?.();
    if (--this.#running === 0) this.#drained?.();
  }
}
