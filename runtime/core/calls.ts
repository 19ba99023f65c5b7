import { actors } from "#protos";
import type { Resolver } from "../directory/directory.js";
import { type Bulk, type Opened, type Parcel, packArgs } from "./bulk.js";
import { decodeWith, type HandleState } from "./codec.js";
import { Crowds } from "./crowd.js";
import { Deadlines } from "./deadlines.js";
import type { MethodSpec } from "./definition.js";
import { ActorsError, fromFailure } from "./errors.js";
import { type Caller, type CallOptions, type GroupCallOptions, reviveHandle } from "./handle.js";
import type { Hold } from "./hold.js";
import { Holds } from "./holds.js";
import type { ActorId, EndpointId } from "./ids.js";
import type { Frame } from "./outbox.js";
import type { Pending } from "./pending.js";
import { refuseStreams, Sources } from "./sources.js";
import { StreamReader, streamCredit, unitsOf } from "./stream.js";
import { currentTrace, traceOfCall } from "./trace.js";
import { Waker } from "./waker.js";

const { FrameKind, Codec } = actors.v1;
const defaultTimeoutMs = 30_000;
const resendMs = 3_000; // a call without an answer is sent again this often; one that runs or ran is not run again
const settleMs = [100, 400, 1_200]; // after the link came back
const deathToldMs = 500;
const notYetMs = 50; // the directory says where an actor is a moment before that place knows of it

/** @param busy frames to this peer that are likely to follow soon */
export type Send = (to: EndpointId, frame: Frame, busy?: number) => void;

/** The calling side of an endpoint: ids, deadlines, retries, streams in. */
export class Calls implements Caller {
  readonly #send: Send;
  readonly #resolver: Resolver;
  readonly #reaches: (peer: EndpointId) => boolean;
  readonly #pending = new Map<number, Pending>();
  readonly #byActor = new Crowds<ActorId, Pending>();
  readonly #holds: Holds;
  readonly #waker: Waker;
  readonly #revive = { handle: (state: HandleState) => reviveHandle(this, state) };
  /** What goes along with calls as streams. */
  readonly sources: Sources;
  readonly #deadlines = new Deadlines<Pending>((p) => this.#expire(p));
  readonly #resend: NodeJS.Timeout;
  readonly #stop: () => void;
  #nextId = 1;
  bulk: Bulk | undefined;
  #closed: string | undefined;

  constructor(id: EndpointId, send: Send, resolver: Resolver, reaches: (peer: EndpointId) => boolean) {
    this.sources = new Sources(id);
    this.#send = send;
    this.#resolver = resolver;
    this.#reaches = reaches;
    this.#holds = new Holds(send, resolver, (pending) => this.#dispatch(pending, false));
    const waits = (actor: ActorId) => this.#byActor.has(actor) || this.#holds.holdsFor(actor);
    this.#waker = new Waker(this, resolver, waits, (actor, error) => this.#impossible(actor, error));
    this.#stop = resolver.onChange((id) => this.#moved(id));
    this.#resend = setInterval(() => this.#resendOlderThan(resendMs), resendMs / 2);
    this.#resend.unref();
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** All calls with lower ids have ended. */
  get settled(): number {
    return this.#pending.keys().next().value ?? this.#nextId;
  }

  get pending(): Iterable<Pending> {
    return this.#pending.values();
  }

  call(to: ActorId, method: MethodSpec, args: unknown[], options: GroupCallOptions): Promise<unknown> {
    return new Promise((resolve, reject) => void this.#start(to, method, args, options, resolve, reject, undefined));
  }

  stream(
    to: ActorId,
    method: MethodSpec,
    args: unknown[],
    options: CallOptions,
  ): AsyncGenerator<unknown, void, undefined> {
    let pending: Pending | undefined;
    const reader: StreamReader = new StreamReader({
      start: () => {
        pending = this.#start(
          to,
          method,
          args,
          options,
          () => reader.end(),
          (error) => reader.fail(error),
          reader,
        );
      },
      credit: (credit) => this.#control(pending, { kind: FrameKind.CREDIT, credit }),
      cancel: () => {
        if (!pending || !this.#forget(pending)) return;
        this.#control(pending, { kind: FrameKind.CANCEL });
      },
    });
    return reader.items();
  }

  tell(to: ActorId, method: MethodSpec, args: unknown[], parcel?: Parcel): Promise<void> {
    const at = this.#resolver.resolve(to);
    if (at.state !== "running" && at.state !== "passive") return onItsWay; // at most once: no one is there to hear it
    refuseStreams(method.name, args);
    const { codec, payload } = packArgs(method, args, this.bulk, "tell", parcel);
    const id = this.#nextId++;
    const frame: Frame = { kind: FrameKind.TELL, id, actor: to, method: method.name, codec, payload, waits: true };
    const trace = traceOfCall(undefined);
    if (trace !== undefined) frame.trace = trace;
    const rests = at.state === "passive";
    if (rests) this.#waker.wake(to);
    const hold = this.#holds.find(to, method.shared) ?? (rests && this.#holds.open(to, method.shared));
    if (hold) return new Promise((sent) => hold.keep({ id, payload, frame, sent }));
    frame.epoch = at.epoch;
    this.#send(at.endpoint, frame);
    return onItsWay;
  }

  /** Answers from other endpoints. */
  receive(from: EndpointId, frame: Frame): void {
    if (frame.kind === FrameKind.FULL) {
      this.#holds.returned(from, frame, this.#pending.get(frame.id!));
      return this.#waker.look(frame.actor as ActorId);
    }
    if (frame.kind === FrameKind.ROOM) return this.#holds.enter(frame);
    const pending = this.#pending.get(frame.id!);
    if (!pending || pending.broken || pending.sentTo !== from) return; // who was not asked cannot answer
    switch (frame.kind) {
      case FrameKind.ITEM:
        pending.stream?.push(this.#decode(pending, frame), unitsOf((frame as Opened).packed ?? frame));
        return;
      case FrameKind.ERROR: {
        const error = fromFailure(frame.error ?? {});
        if (error.code === "NOT_HERE") return this.#misplaced(pending);
        this.#settle(pending, error);
        return;
      }
      default:
        this.#settle(pending, undefined, frame);
    }
  }

  /**
   * After a lost link: what was sent before and is unanswered goes again, in order; the callee drops what it has seen.
   * @param waits whether this call still waits in the outbox: sent a second time it would overtake itself, and run twice
   */
  reconnected(leadsTo: (peer: EndpointId) => boolean, waits: (peer: EndpointId, id: number) => boolean): void {
    for (const pending of [...this.#pending.values()]) {
      const { sentTo } = pending;
      if (sentTo === undefined || !leadsTo(sentTo) || waits(sentTo, pending.id) || this.#holds.has(pending)) continue;
      if (pending.stream) this.#breakOff(pending);
      else {
        pending.doubted = true;
        this.#dispatch(pending, true);
      }
    }
    // The other side may come back later than this one, and what is sent in between reaches nobody.
    for (const ms of settleMs) setTimeout(() => this.#resendOlderThan(0, leadsTo), ms).unref();
  }

  /** Items may be lost. Whether the actor died is often known a moment later, and says more. */
  #breakOff(pending: Pending): void {
    if (pending.broken) return;
    pending.broken = true;
    this.#control(pending, { kind: FrameKind.CANCEL });
    const error = new ActorsError("OUTCOME_UNKNOWN", `the link was lost during the stream ${name(pending)}`);
    setTimeout(() => this.#settle(pending, error), deathToldMs).unref();
  }

  close(reason: string): void {
    this.#closed = reason;
    this.#stop();
    this.#waker.close();
    clearInterval(this.#resend);
    for (const pending of [...this.#pending.values()]) this.#settle(pending, new ActorsError("CANCELLED", reason));
    this.#deadlines.close();
  }

  #start(
    to: ActorId,
    method: MethodSpec,
    args: unknown[],
    options: GroupCallOptions,
    resolve: (value: unknown) => void,
    reject: (error: Error) => void,
    stream: StreamReader | undefined,
  ): Pending | undefined {
    const { signal } = options;
    if (this.#closed !== undefined) {
      reject(new ActorsError("CANCELLED", `${method.name} was called too late: ${this.#closed}`));
      return undefined;
    }
    if (signal?.aborted) {
      reject(new ActorsError("CANCELLED", `${method.name} was cancelled before it was sent`, { cause: signal.reason }));
      return undefined;
    }
    const timeoutMs = options.timeoutMs ?? (stream ? Number.POSITIVE_INFINITY : defaultTimeoutMs);
    const madeAt = performance.now();
    const { passed, streams } = this.sources.offerAll(args);
    const { codec, payload, release } = packArgs(method, passed, this.bulk, "argument", options.parcel);
    const pending: Pending = {
      id: this.#nextId++,
      actor: to,
      method,
      codec,
      payload,
      release,
      streams,
      deadline: madeAt + timeoutMs,
      madeAt,
      timeoutMs,
      stream,
      trace: traceOfCall(options.trace),
      parentTrace: currentTrace(),
      resolve,
      reject,
      sentTo: undefined,
      broken: false,
      hold: undefined,
      over: false,
      epoch: 0,
      doubted: false,
      attempt: 0,
      sentAt: 0,
      unlisten: undefined,
    };
    this.#pending.set(pending.id, pending);
    this.#byActor.add(to, pending);
    if (timeoutMs !== Number.POSITIVE_INFINITY) this.#deadlines.add(pending);
    if (signal) {
      const abort = () => this.#cancel(pending, signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      pending.unlisten = () => signal.removeEventListener("abort", abort);
    }
    const hold = this.#holds.find(to, method.shared);
    if (hold) this.#keep(hold, pending);
    else this.#dispatch(pending, false, madeAt);
    return pending;
  }

  #keep(hold: Hold, pending: Pending): void {
    try {
      hold.keep(pending);
      pending.hold = hold;
    } catch (error) {
      this.#settle(pending, error as Error);
    }
  }

  /** Sends to where the actor is now, or waits until it is somewhere. */
  #dispatch(pending: Pending, again: boolean, now = performance.now()): void {
    const at = this.#resolver.resolve(pending.actor);
    if (at.state === "gone") return void this.#settle(pending, at.failure!);
    if (at.state !== "running") {
      pending.sentTo = undefined;
      if (at.state === "passive") this.#waker.wake(pending.actor);
      return;
    }
    pending.sentTo = at.endpoint;
    pending.epoch = at.epoch;
    pending.sentAt = now;
    if (again) pending.attempt++;
    const left = pending.deadline - pending.sentAt;
    try {
      this.#send(at.endpoint, {
        kind: FrameKind.CALL,
        id: pending.id,
        actor: pending.actor,
        epoch: at.epoch,
        method: pending.method.name,
        budgetMs: left === Number.POSITIVE_INFINITY ? 0 : Math.max(1, Math.round(left)),
        codec: pending.codec,
        payload: pending.payload,
        attempt: pending.attempt,
        credit: pending.stream ? streamCredit : 0,
        waits: true,
        trace: pending.trace ?? "",
        objects: this.bulk !== undefined,
      });
    } catch (error) {
      this.#settle(pending, error as Error);
    }
  }

  /** The actor's place changed: a restart, a move, an end. */
  #moved(actor: ActorId): void {
    const at = this.#resolver.resolve(actor);
    const tells = this.#holds.release(actor, at);
    for (const pending of this.#byActor.present(actor)) {
      if (pending.hold || pending.over) continue;
      while (tells[0] && tells[0].id < pending.id) this.#holds.send(tells.shift()!);
      if (pending.sentTo === undefined || at.state === "gone") this.#dispatch(pending, pending.attempt > 0);
      else if (at.epoch === pending.epoch && (at.state !== "running" || at.endpoint === pending.sentTo)) continue;
      else if (pending.method.idempotent && !pending.stream) this.#dispatch(pending, true);
      // All that this incarnation took is answered, and answers come before the news: it never took this one.
      else if (at.rested !== undefined && pending.epoch <= at.rested && !pending.doubted) this.#dispatch(pending, true);
      else {
        this.#settle(
          pending,
          new ActorsError("ACTOR_DIED", `the actor died with ${name(pending)} in flight`, {
            cause: at.failure,
            details: at.failure?.details,
            hint: "Declare the method idempotent and the runtime sends it again by itself.",
          }),
        );
      }
    }
    for (const told of tells) this.#holds.send(told);
    this.#waker.look(actor);
  }

  /** A passive actor that no node could hold. */
  #impossible(actor: ActorId, error: Error): void {
    for (const pending of this.#byActor.present(actor)) if (pending.sentTo === undefined) this.#settle(pending, error);
  }

  /** Sent to where it no longer is, so it did not run: wait for the directory, or try the newer place. */
  #misplaced(pending: Pending): void {
    const at = this.#resolver.resolve(pending.actor);
    const stale = at.endpoint === pending.sentTo && at.epoch === pending.epoch;
    if (!stale || at.state !== "running") return this.#dispatch(pending, true);
    pending.sentTo = undefined;
    const again = () => !pending.over && pending.sentTo === undefined && this.#dispatch(pending, true);
    setTimeout(again, notYetMs).unref();
  }

  #resendOlderThan(ms: number, to: (peer: EndpointId) => boolean = () => true): void {
    const now = performance.now();
    for (const pending of [...this.#pending.values()]) {
      if (this.#holds.has(pending)) continue;
      // Without a way now a repeat would only queue, behind younger calls; they all go again when there is one.
      if (pending.sentTo !== undefined && !(to(pending.sentTo) && this.#reaches(pending.sentTo))) continue;
      if (!pending.stream && now - pending.sentAt >= ms) this.#dispatch(pending, pending.sentTo !== undefined);
    }
    this.#holds.askAgain(ms);
  }

  #expire(pending: Pending): void {
    const { state } = this.#resolver.resolve(pending.actor);
    const why =
      pending.hold && state === "running"
        ? "its mailbox had no room"
        : pending.sentTo !== undefined
          ? "no answer"
          : state === "unknown"
            ? "no such actor is known here"
            : "the actor was not running";
    const code =
      pending.sentTo === undefined && !pending.hold && state === "unknown" ? "NOT_FOUND" : "DEADLINE_EXCEEDED";
    this.#settle(pending, new ActorsError(code, `${name(pending)}: ${why} within ${Math.round(pending.timeoutMs)} ms`));
    this.#control(pending, { kind: FrameKind.CANCEL });
  }

  #cancel(pending: Pending, reason: unknown): void {
    this.#settle(pending, new ActorsError("CANCELLED", `${name(pending)} was cancelled`, { cause: reason }));
    this.#control(pending, { kind: FrameKind.CANCEL });
  }

  #control(pending: Pending | undefined, frame: Frame): void {
    if (pending?.sentTo !== undefined) this.#send(pending.sentTo, { ...frame, id: pending.id });
  }

  #settle(pending: Pending, error: Error | undefined, reply?: Frame): void {
    if (!this.#forget(pending)) return;
    if (error) return pending.reject(error);
    try {
      pending.resolve(reply && reply.kind === FrameKind.REPLY ? this.#decode(pending, reply) : undefined);
    } catch (cause) {
      pending.reject(new ActorsError("INTERNAL", `the answer of ${name(pending)} cannot be decoded`, { cause }));
    }
  }

  #forget(pending: Pending): boolean {
    if (pending.over) return false;
    pending.over = true;
    this.#pending.delete(pending.id);
    this.#byActor.left(pending.actor);
    this.#deadlines.remove(pending);
    pending.hold?.forget(pending);
    for (const { state } of pending.streams) this.sources.withdraw(state.id);
    pending.unlisten?.();
    pending.release?.();
    return true;
  }

  #decode(pending: Pending, frame: Frame): unknown {
    if (frame.codec === Codec.NONE) return undefined;
    if (frame.codec === Codec.PROTO) return pending.method.wire!.reply.decode(frame.payload!);
    return decodeWith(frame.payload!, this.#revive);
  }
}

const onItsWay = Promise.resolve();
const name = (p: Pending) => `${p.method.name} on ${p.actor}`;
