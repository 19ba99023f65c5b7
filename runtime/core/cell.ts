import type { CellDetail, CellReport } from "./cell-report.js";
import type { ActorDef } from "./definition.js";
import { ActorsError, type Code } from "./errors.js";
import type { ActorId, EndpointId } from "./ids.js";
import type { Incoming } from "./incoming.js";
import { Mailbox } from "./mailbox.js";
import { Meter } from "./meter.js";
import { type Counted, type Tallies, type Tally, unknownMethod } from "./tallies.js";
import { currentTrace, inTrace } from "./trace.js";
import { loopTurn } from "./wait.js";

const defaultMailbox = 4096;
const turnMs = 2; // handlers that wait for nothing let sockets and timers have their turn this often

/** What a handler may ask about the call that runs it. Read it before the first await. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Unix milliseconds; Infinity when there is none. */
  readonly deadline: number;
  /** W3C traceparent; undefined when the call is not traced. Calls that the handler makes carry the trace on. */
  readonly trace: string | undefined;
}

const listedRunning = 100;

const idle: CallContext = {
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  trace: undefined,
};

const uncounted: ReadonlyMap<string, Counted> = new Map();

/** One incarnation of an actor: its instance, its mailbox, its rule of one handler at a time. */
export class Cell {
  readonly id: ActorId;
  readonly epoch: number;
  readonly def: ActorDef;
  readonly #instance: Record<string, (...args: unknown[]) => unknown>;
  readonly #queue: Mailbox<Incoming>;
  readonly #sharedQueue: Mailbox<Incoming>;
  readonly #onError: (call: Incoming, error: unknown) => void;
  /** The runtime's own, ahead of every call that waits. */
  readonly #steps: (() => Promise<void>)[] = [];
  /** Whether that caller may call this. */
  guard: ((call: Incoming) => boolean) | undefined;
  /** Told when a handler has run. */
  onHandled: (() => void) | undefined;
  /** Told whom a mailbox takes how many calls from again. */
  onRoom: ((to: EndpointId, shared: boolean, calls: number, ask: number) => void) | undefined;
  readonly #meter = new Meter();
  #methods = uncounted;
  #unknown: Tally | undefined;
  /** Calls whose handlers have returned a promise or a stream. */
  #inFlight: Set<Incoming> | undefined;
  #busy = false;
  #closed = false;
  /** Shared handlers under way. */
  #sharing = 0;
  #drainsShared = false;
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
    const limit = at.mailbox || defaultMailbox;
    this.#queue = new Mailbox(limit, (to, calls, ask) => this.onRoom?.(to, false, calls, ask));
    this.#sharedQueue = new Mailbox(limit, (to, calls, ask) => this.onRoom?.(to, true, calls, ask));
    this.#instance = instance as Record<string, (...args: unknown[]) => unknown>;
    this.#onError = onError;
  }

  /** Before the first call. */
  countIn(tallies: Tallies): void {
    this.#methods = tallies.counted(this.def);
    this.#unknown = tallies.of(this.def.name, unknownMethod);
  }

  get inFlight(): Iterable<Incoming> {
    return this.#inFlight ?? [];
  }

  /** Calls that wait, in the order they will run: those of exclusive methods, and those of shared ones. */
  get waiting(): readonly [Iterable<Incoming>, Iterable<Incoming>] {
    return [this.#queue, this.#sharedQueue];
  }

  get depth(): number {
    return this.#queue.size + this.#sharedQueue.size;
  }

  report(): CellReport {
    const { handled, failed, refused, busyMs, medianMs } = this.#meter;
    return {
      id: this.id,
      def: this.def.name,
      depth: this.depth,
      limit: this.#queue.limit,
      callersHeld: this.#queue.held + this.#sharedQueue.held,
      inFlight: this.#inFlight?.size ?? 0,
      handled,
      failed,
      refused,
      busyMs,
      medianMs,
    };
  }

  detail(): CellDetail {
    const now = performance.now();
    const running = [...this.inFlight].slice(0, listedRunning).map(({ method, from, cameAt, deadline }) => ({
      method,
      from,
      ageMs: Math.round(now - cameAt),
      leftMs: deadline === Number.POSITIVE_INFINITY ? null : Math.round(deadline - now),
    }));
    const queued: Record<string, number> = {};
    for (const { method } of [...this.#queue, ...this.#sharedQueue]) queued[method] = (queued[method] ?? 0) + 1;
    return { ...this.report(), running, queued, errors: this.#meter.errors };
  }

  /** The call whose handler is starting now. */
  get current(): CallContext {
    const call = this.#current;
    if (!call) return idle;
    return { signal: call.signal(), deadline: performance.timeOrigin + call.deadline, trace: call.trace };
  }

  /** @returns false when the mailbox is full: its sender takes it back, and sends it again when there is room */
  accept(call: Incoming): boolean {
    const method = this.#methods.get(call.method);
    if (!method) {
      const hint = `Its methods are ${[...this.def.methods.keys()].join(", ")}.`;
      const unknown = new ActorsError("NOT_FOUND", `actor ${this.def.name} has no method ${call.method}`, { hint });
      this.#refuse(call, this.#unknown, unknown);
      return true;
    }
    if (this.#stopped) {
      this.#count(method.tally, this.#stopped.code);
      call.fail(this.#stopped);
      return true;
    }
    if (this.guard?.(call) === false) {
      const denied = `${call.from} may not call ${call.method} of ${this.def.name}`;
      this.#refuse(call, method.tally, new ActorsError("PERMISSION_DENIED", denied));
      return true;
    }
    const { shared } = method;
    const queue = shared ? this.#sharedQueue : this.#queue;
    const atOnce = shared ? this.#sharing < this.def.concurrency : !this.#busy;
    if (!queue.admits(call, atOnce)) {
      if (call.waits) return false;
      if (this.#closed) {
        call.fail(new ActorsError("NOT_HERE", `${this.def.name}(${this.id}) is being passivated`));
        return true;
      }
      const full = `the mailbox of ${this.def.name}(${this.id}) holds its limit of ${queue.limit} calls`;
      const hint = "Await answers before sending more, or spawn with a larger `mailbox`.";
      this.#refuse(call, method.tally, new ActorsError("OVERLOADED", full, { hint }));
    } else if (!atOnce) queue.push(call);
    else if (shared) void this.#run(method, call, call.cameAt);
    else void this.#runExclusive(method, call);
    return true;
  }

  /** The caller holds back what it has for this mailbox. */
  want(from: EndpointId, shared: boolean, ask: number): void {
    (shared ? this.#sharedQueue : this.#queue).want(from, ask);
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

  /**
   * Gives all calls back to their senders from now on, who hold them until it opens or another incarnation runs.
   * @returns false when it has calls
   */
  close(): boolean {
    if (this.#busy || this.#running > 0 || this.depth > 0) return false;
    this.#closed = true;
    this.#queue.close();
    this.#sharedQueue.close();
    return true;
  }

  /** Whether a call came since it was closed. */
  get knocked(): boolean {
    return this.#queue.knocked || this.#sharedQueue.knocked;
  }

  open(): void {
    this.#closed = false;
    this.#queue.open();
    this.#sharedQueue.open();
  }

  /** Refuses new calls, fails queued ones, waits for the handlers that run. */
  async stop(reason: ActorsError): Promise<void> {
    this.#stopped = reason;
    for (const call of [...this.#queue.takeAll(), ...this.#sharedQueue.takeAll()]) call.fail(reason);
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
    let since = began;
    while (next || this.#steps.length > 0) {
      const running = next ? this.#run(method!, next, began) : undefined;
      if (running) await running;
      for (let step = this.#steps.shift(); step; step = this.#steps.shift()) await step();
      if (this.#queue.size > 0) {
        began = performance.now();
        if (began - since > turnMs) {
          await loopTurn();
          began = since = performance.now();
        }
      }
      next = this.#next(this.#queue, began);
      if (next) method = this.#methods.get(next.method)!;
    }
    this.#busy = false;
  }

  #runShared(): void {
    if (this.#drainsShared) return;
    this.#drainsShared = true;
    while (this.#sharing < this.def.concurrency) {
      const now = performance.now();
      const next = this.#next(this.#sharedQueue, now);
      if (!next) break;
      void this.#run(this.#methods.get(next.method)!, next, now);
    }
    this.#drainsShared = false;
  }

  /** The oldest call that someone still waits for. */
  #next(queue: Mailbox<Incoming>, now: number): Incoming | undefined {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!next.cancelled && next.deadline > now) return next;
      this.#count(this.#methods.get(next.method)?.tally, next.cancelled ? "CANCELLED" : "DEADLINE_EXCEEDED");
      next.drop();
    }
    return undefined;
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
    if (method.shared) this.#sharing++;
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
    this.#begin(call);
    try {
      call.reply(method, await result);
      method.tally.ok++;
    } catch (error) {
      this.#fail(method, call, error);
    }
    this.#inFlight!.delete(call);
    this.#done(method, began);
  }

  async #pump(method: Counted, call: Incoming, items: AsyncIterable<unknown>): Promise<void> {
    this.#begin(call);
    const signal = call.signal();
    const iterator = items[Symbol.asyncIterator]();
    try {
      this.#current = call; // the handler's first steps run now
      const first = iterator.next();
      this.#current = undefined;
      let since = performance.now();
      for (let next = await first; !next.done; next = await iterator.next()) {
        if (performance.now() - since > turnMs) {
          await loopTurn();
          since = performance.now();
        }
        if (call.credit?.spent) await call.credit.more(signal);
        if (signal.aborted) break;
        call.item(method, next.value);
      }
      if (signal.aborted) await iterator.return?.(); // runs its finally
      if (signal.aborted) method.tally.fail("CANCELLED");
      else {
        call.reply(method, undefined);
        method.tally.ok++;
      }
    } catch (error) {
      this.#current = undefined;
      this.#fail(method, call, error);
      await iterator.return?.().catch(() => {}); // when the item could not be sent
    }
    this.#inFlight!.delete(call);
    this.#done(method); // not timed: how long a stream lasts is its reader's choice
  }

  #begin(call: Incoming): void {
    this.#inFlight ??= new Set(); // most actors never need one
    this.#inFlight.add(call);
  }

  #fail(method: Counted, call: Incoming, thrown: unknown): void {
    const error = ActorsError.from(thrown);
    method.tally.fail(error.code);
    this.#meter.fail(method.name, error);
    this.#onError(call, thrown);
    call.fail(thrown);
  }

  #done({ tally, shared }: Counted, began?: number): void {
    this.onHandled?.();
    this.#meter.handled++;
    if (began !== undefined) {
      const ms = performance.now() - began;
      this.#meter.took(ms);
      tally.took(ms);
    }
    if (shared) {
      this.#sharing--;
      if (this.#sharedQueue.size > 0) this.#runShared();
    }
    if (--this.#running === 0) this.#drained?.();
  }
}
