import type { ActorDef, MethodSpec } from "./definition.js";
import { ActorsError, type Code } from "./errors.js";
import type { ActorId, EndpointId } from "./ids.js";
import { type CallError, Meter } from "./meter.js";
import type { Credit } from "./stream.js";
import { type Tallies, type Tally, unknownMethod } from "./tallies.js";
import { currentTrace, inTrace } from "./trace.js";

const defaultMailbox = 4096;

/** One call that reached its actor. */
export interface Incoming {
  readonly from: EndpointId;
  /** On `performance.now()`'s clock. */
  readonly cameAt: number;
  readonly method: string;
  readonly deadline: number;
  readonly credit: Credit | undefined;
  readonly cancelled: boolean;
  /** No one hears how it ends. */
  readonly oneWay: boolean;
  /** W3C traceparent of a traced call. */
  readonly trace: string | undefined;
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
  /** W3C traceparent; undefined when the call is not traced. Calls that the handler makes carry the trace on. */
  readonly trace: string | undefined;
}

/** A cell in numbers. */
export interface CellReport {
  id: string;
  def: string;
  /** Calls that wait, and how many may. */
  depth: number;
  limit: number;
  /** Handlers that run or wait for something now. */
  inFlight: number;
  /** Since this incarnation started: ended handlers, those of them that threw, calls that reached no handler. */
  handled: number;
  failed: number;
  refused: number;
  /** Time that all of them ran, streams left out. */
  busyMs: number;
  /** Of the last calls; null before the first. */
  medianMs: number | null;
}

export interface CellDetail extends CellReport {
  /** The oldest handlers in flight, at most 100. `leftMs` to the caller's deadline: null when it has none. */
  running: { method: string; from: string; ageMs: number; leftMs: number | null }[];
  /** Waiting calls by method. */
  queued: Record<string, number>;
  errors: CallError[];
}

const listedRunning = 100;

/** A method with the place where its calls are counted. */
interface Counted extends MethodSpec {
  readonly tally: Tally;
}

const idle: CallContext = {
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  trace: undefined,
};

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
  readonly #meter = new Meter();
  readonly #methods = new Map<string, Counted>();
  #unknown: Tally | undefined;
  /** Calls whose handlers have returned a promise or a stream. */
  readonly #inFlight = new Set<Incoming>();
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

  /** Before the first call. */
  countIn(tallies: Tallies): void {
    const { name } = this.def;
    for (const [method, spec] of this.def.methods)
      this.#methods.set(method, { ...spec, tally: tallies.of(name, method) });
    this.#unknown = tallies.of(name, unknownMethod);
  }

  get depth(): number {
    return this.#queue.length;
  }

  report(): CellReport {
    const { handled, failed, refused, busyMs, medianMs } = this.#meter;
    return {
      id: this.id,
      def: this.def.name,
      depth: this.#queue.length,
      limit: this.#limit,
      inFlight: this.#inFlight.size,
      handled,
      failed,
      refused,
      busyMs,
      medianMs,
    };
  }

  detail(): CellDetail {
    const now = performance.now();
    const running = [...this.#inFlight].slice(0, listedRunning).map(({ method, from, cameAt, deadline }) => ({
      method,
      from,
      ageMs: Math.round(now - cameAt),
      leftMs: deadline === Number.POSITIVE_INFINITY ? null : Math.round(deadline - now),
    }));
    const queued: Record<string, number> = {};
    for (const { method } of this.#queue) queued[method] = (queued[method] ?? 0) + 1;
    return { ...this.report(), running, queued, errors: this.#meter.errors };
  }

  /** The call whose handler is starting now. */
  get current(): CallContext {
    const call = this.#current;
    if (!call) return idle;
    return { signal: call.signal(), deadline: performance.timeOrigin + call.deadline, trace: call.trace };
  }

  accept(call: Incoming): void {
    const method = this.#methods.get(call.method);
    if (!method) {
      return this.#refuse(
        call,
        this.#unknown,
        new ActorsError("NOT_FOUND", `actor ${this.def.name} has no method ${call.method}`, {
          hint: `Its methods are ${[...this.def.methods.keys()].join(", ")}.`,
        }),
      );
    }
    if (this.#stopped) {
      this.#count(method.tally, this.#stopped.code);
      return call.fail(this.#stopped);
    }
    if (method.shared) return void this.#run(method, call, call.cameAt);
    if (this.#busy) {
      if (this.#queue.length >= this.#limit) {
        return this.#refuse(
          call,
          method.tally,
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

  #count(tally: Tally | undefined, refusedWith: Code): void {
    this.#meter.refused++;
    tally?.fail(refusedWith);
  }

  #refuse(call: Incoming, tally: Tally | undefined, reason: ActorsError): void {
    this.#count(tally, reason.code);
    this.#onError(call, reason);
    call.fail(reason);
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

  async #runExclusive(first?: Counted, call?: Incoming): Promise<void> {
    this.#busy = true;
    let next = call;
    let method = first;
    let began = call?.cameAt ?? 0;
    while (next || this.#steps.length > 0) {
      const running = next ? this.#run(method!, next, began) : undefined;
      if (running) await running;
      for (let step = this.#steps.shift(); step; step = this.#steps.shift()) await step();
      next = this.#queue.shift();
      if (!next) continue;
      began = performance.now();
      while (next && (next.cancelled || next.deadline <= began)) {
        // No one waits for it any more.
        this.#count(this.#methods.get(next.method)?.tally, next.cancelled ? "CANCELLED" : "DEADLINE_EXCEEDED");
        next = this.#queue.shift();
      }
      if (next) method = this.#methods.get(next.method)!;
    }
    this.#busy = false;
  }

  /** Not in the trace of whoever happens to drain the mailbox. */
  #run(method: Counted, call: Incoming, began: number): Promise<void> | undefined {
    const { trace } = call;
    if (trace === currentTrace()) return this.#handle(method, call, began);
    return inTrace(trace, () => this.#handle(method, call, began));
  }

  /** A promise only when the handler is asynchronous, so that plain ones cost no turn of the loop. */
  #handle(method: Counted, call: Incoming, began: number): Promise<void> | undefined {
    this.#running++;
    try {
      this.#current = call;
      const result = this.#instance[method.name]!(...call.args(method));
      this.#current = undefined;
      if (method.stream) return this.#pump(method, call, result as AsyncIterable<unknown>);
      if (typeof (result as PromiseLike<unknown> | undefined)?.then === "function")
        return this.#settle(method, call, result as Promise<unknown>, began);
      call.reply(method, result);
      method.tally.ok++;
    } catch (error) {
      this.#current = undefined;
      this.#fail(method, call, error);
    }
    this.#done(method, began);
    return undefined;
  }

  async #settle(method: Counted, call: Incoming, result: Promise<unknown>, began: number): Promise<void> {
    this.#inFlight.add(call);
    try {
      call.reply(method, await result);
      method.tally.ok++;
    } catch (error) {
      this.#fail(method, call, error);
    }
    this.#inFlight.delete(call);
    this.#done(method, began);
  }

  async #pump(method: Counted, call: Incoming, items: AsyncIterable<unknown>): Promise<void> {
    this.#inFlight.add(call);
    const signal = call.signal();
    try {
      for await (const item of items) {
        await call.credit?.take(signal);
        if (signal.aborted) break; // leaving the loop runs the generator's finally
        call.item(method, item);
      }
      if (signal.aborted) method.tally.fail("CANCELLED");
      else {
        call.reply(method, undefined);
        method.tally.ok++;
      }
    } catch (error) {
      this.#fail(method, call, error);
    }
    this.#inFlight.delete(call);
    this.#done(method); // not timed: how long a stream lasts is its reader's choice
  }

  #fail(method: Counted, call: Incoming, thrown: unknown): void {
    const error = ActorsError.from(thrown);
    method.tally.fail(error.code);
    this.#meter.fail(method.name, error);
    this.#onError(call, thrown);
    call.fail(thrown);
  }

  #done({ tally }: Counted, began?: number): void {
    this.onHandled?.();
    this.#meter.handled++;
    if (began !== undefined) {
      const ms = performance.now() - began;
      this.#meter.took(ms);
      tally.took(ms);
    }
    if (--this.#running === 0) this.#drained?.();
  }
}
