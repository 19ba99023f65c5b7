import { setMaxListeners } from "node:events";
import { actors } from "#protos";
import { type Bulk, nothing, type Opened, type Packed, packMessage, packValue } from "./bulk.js";
import { type CallerState, Callers } from "./callers.js";
import type { Send } from "./calls.js";
import type { Cell } from "./cell.js";
import { decodeWith } from "./codec.js";
import type { MethodSpec } from "./definition.js";
import { endpointHandle } from "./endpoint-actor.js";
import { ActorsError, toFailure } from "./errors.js";
import { type Caller, reviveHandle } from "./handle.js";
import type { ActorId, EndpointId } from "./ids.js";
import type { Incoming } from "./incoming.js";
import type { Frame } from "./outbox.js";
import { Credit, streamCredit, unitsOf } from "./stream.js";
import { Tallies } from "./tallies.js";

const { FrameKind, Codec } = actors.v1;

const cachedBytes = 64 << 10; // a larger answer is not kept
const aliveMs = 15_000;

/** The answering side of an endpoint. */
export class Server {
  readonly #send: Send;
  readonly #caller: Caller;
  readonly #cells = new Map<ActorId, Cell>();
  readonly #callers: Callers<Served>;
  readonly tallies = new Tallies();
  bulk: Bulk | undefined;

  constructor(send: Send, caller: Caller) {
    this.#send = send;
    this.#caller = caller;
    this.#callers = new Callers((endpoint) => endpointHandle(caller, endpoint).alive.with({ timeoutMs: aliveMs })());
  }

  close(): void {
    this.#callers.close();
  }

  get cells(): ReadonlyMap<ActorId, Cell> {
    return this.#cells;
  }

  host(cell: Cell): void {
    cell.countIn(this.tallies);
    cell.onRoom = (to, shared, credit, ask) =>
      this.#send(to, { kind: FrameKind.ROOM, id: ask, actor: cell.id, shared, credit });
    this.#cells.set(cell.id, cell);
  }

  unhost(id: ActorId): Cell | undefined {
    const cell = this.#cells.get(id);
    this.#cells.delete(id);
    return cell;
  }

  /** All calls of this endpoint with lower ids have ended: it asks for none of their answers again. */
  settled(from: EndpointId, below: number): void {
    const state = this.#callers.find(from);
    if (!state || below <= state.settled) return;
    state.settled = below;
    state.replies.settle(below);
  }

  receive(from: EndpointId, frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.CALL:
        return this.#call(from, frame);
      case FrameKind.TELL: {
        const cell = this.#cellFor(frame);
        const { packed } = frame as Opened;
        const accepted = cell?.accept(new Served(this, from, frame, undefined, this.#caller));
        if (accepted === false) return this.#giveBack(from, cell!, packed ?? frame);
        if (packed) this.bulk?.received(packed.payload!);
        return;
      }
      case FrameKind.WANT: {
        const { id, actor, shared } = frame;
        const cell = this.#cells.get(actor as ActorId);
        if (cell) return cell.want(from, shared === true, id!);
        return this.#send(from, { kind: FrameKind.ROOM, id: id!, actor: actor!, shared: shared!, credit: 1 }); // it learns from a call
      }
      case FrameKind.CANCEL:
        return this.#callers.find(from)?.running.get(frame.id!)?.cancel();
      case FrameKind.CREDIT:
        return this.#callers.find(from)?.running.get(frame.id!)?.credit?.grant(frame.credit!);
      default:
    }
  }

  /** @param busy how many more answers to this caller are due, or likely */
  answer(to: EndpointId, frame: Frame, busy = 0): void {
    try {
      this.#send(to, frame, busy);
    } catch (error) {
      this.#send(to, { kind: FrameKind.ERROR, id: frame.id!, error: toFailure(error) });
    }
  }

  #cellFor(frame: Frame): Cell | undefined {
    const cell = this.#cells.get(frame.actor as ActorId);
    return cell && (frame.epoch === 0 || frame.epoch === cell.epoch) ? cell : undefined;
  }

  #call(from: EndpointId, frame: Frame): void {
    const id = frame.id!;
    const state = this.#callers.of(from);
    if (id < state.settled) return; // no one waits for it
    if (frame.attempt) {
      if (state.running.has(id)) return; // its answer is on the way
      const kept = state.replies.find(id);
      if (kept) return this.answer(from, kept);
    }
    const cell = this.#cellFor(frame);
    if (!cell)
      return this.answer(from, { kind: FrameKind.ERROR, id, error: toFailure(new ActorsError("NOT_HERE", "moved")) });
    if (frame.attempt && id <= state.forgotten && !cell.def.methods.get(frame.method!)?.idempotent) {
      const unknown = new ActorsError(
        "OUTCOME_UNKNOWN",
        `${frame.method} may have run: its answer was lost and is no longer kept`,
      );
      return this.answer(from, { kind: FrameKind.ERROR, id, error: toFailure(unknown) });
    }
    const served = new Served(this, from, frame, state, this.#caller);
    state.running.set(id, served);
    if (cell.accept(served)) return;
    state.running.delete(id);
    this.#giveBack(from, cell, frame);
  }

  /** A call's sender still has all of it; of a tell only what comes back is left. */
  #giveBack(to: EndpointId, { id, def }: Cell, frame: Frame): void {
    const shared = def.methods.get(frame.method!)!.shared;
    const full: Frame = { kind: FrameKind.FULL, id: frame.id!, actor: id, epoch: frame.epoch!, shared };
    if (frame.kind !== FrameKind.TELL) return this.#send(to, full);
    try {
      this.#send(to, { ...frame, ...full });
    } catch {} // no room on the way back: a tell may be lost
  }
}

class Served implements Incoming {
  readonly method: string;
  readonly deadline: number;
  readonly credit: Credit | undefined;
  readonly #server: Server;
  readonly from: EndpointId;
  readonly cameAt: number;
  readonly #frame: Frame;
  readonly #state: CallerState<Served> | undefined;
  readonly #caller: Caller;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  cancelled = false;

  constructor(server: Server, from: EndpointId, frame: Frame, state: CallerState<Served> | undefined, caller: Caller) {
    this.#server = server;
    this.from = from;
    this.#frame = frame;
    this.#state = state;
    this.#caller = caller;
    this.method = frame.method!;
    this.cameAt = performance.now();
    this.deadline = frame.budgetMs ? this.cameAt + frame.budgetMs : Number.POSITIVE_INFINITY;
    this.credit = frame.credit ? new Credit(frame.credit) : undefined;
  }

  get trace(): string | undefined {
    return this.#frame.trace || undefined;
  }

  get waits(): boolean {
    return this.#frame.waits === true;
  }

  get oneWay(): boolean {
    return this.#state === undefined;
  }

  signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      setMaxListeners(0, this.#abort.signal); // every call that a handler makes in turn may listen
      if (this.cancelled) this.cancel();
      else if (this.deadline !== Number.POSITIVE_INFINITY) {
        const expired = () =>
          this.cancel(new ActorsError("DEADLINE_EXCEEDED", `the caller of ${this.method} no longer waits`));
        this.#timer = setTimeout(expired, Math.max(0, this.deadline - performance.now()));
      }
    }
    return this.#abort.signal;
  }

  cancel(reason: ActorsError = new ActorsError("CANCELLED", `the caller of ${this.method} no longer waits`)): void {
    this.cancelled = true;
    this.#abort?.abort(reason);
  }

  args(method: MethodSpec): unknown[] {
    const { codec, payload } = this.#frame;
    if (codec === Codec.PROTO) {
      if (!method.wire) throw new ActorsError("INVALID_ARGUMENT", `${method.name} takes no protobuf message`);
      return [method.wire.request.decode(payload!)];
    }
    if (codec === Codec.NONE) return [];
    const args = decodeWith(payload!, {
      handle: (state) => reviveHandle(this.#caller, state),
      stream: ({ at, id }) => endpointHandle(this.#caller, at as EndpointId).read.with({ signal: this.signal() })(id),
    });
    if (!Array.isArray(args))
      throw new ActorsError("INVALID_ARGUMENT", `the arguments of ${method.name} are not a list`);
    return args;
  }

  reply(method: MethodSpec, value: unknown): void {
    const { codec, payload } = this.cancelled || !this.#state ? nothing : this.#encode(method, value);
    this.#finish({ kind: method.stream ? FrameKind.END : FrameKind.REPLY, id: this.#frame.id!, codec, payload });
  }

  item(method: MethodSpec, value: unknown): void {
    if (!this.#state || this.cancelled) return;
    const { codec, payload } = this.#encode(method, value);
    const item: Frame = { kind: FrameKind.ITEM, id: this.#frame.id!, codec, payload };
    this.credit?.take(unitsOf(item));
    // The next item is made right after this one: together they are one message, as far as the generator does not wait.
    this.#server.answer(this.from, item, streamCredit);
  }

  fail(error: unknown): void {
    this.#finish({ kind: FrameKind.ERROR, id: this.#frame.id!, error: toFailure(error) });
  }

  drop(): void {
    this.#state?.running.delete(this.#frame.id!);
  }

  /** As the call came: a caller that does not know the wire table spoke msgpack and can only read that. */
  #encode(method: MethodSpec, value: unknown): Packed {
    if (value === undefined) return nothing;
    const bulk = this.#frame.objects ? this.#server.bulk : undefined;
    if (!method.wire) return packValue(value, bulk, "result");
    if (this.#frame.codec === Codec.PROTO) return packMessage(method.wire.reply, value, bulk, "result");
    const message = method.wire.reply.decode(method.wire.reply.encode(value as never).finish());
    return packValue(withDefaults(message), bulk, "result");
  }

  #finish(frame: Frame): void {
    clearTimeout(this.#timer);
    const state = this.#state;
    if (!state) return; // a tell has no answer
    state.running.delete(frame.id!);
    if (this.cancelled) return; // no one waits; a late answer would only hide that
    if (frame.error?.code === "NOT_HERE") return this.#server.answer(this.from, frame); // not run: it may come again
    const forgotten = (frame.payload?.length ?? 0) <= cachedBytes ? state.replies.keep(frame) : frame;
    if (forgotten) state.forgotten = Math.max(state.forgotten, forgotten.id!);
    this.#server.answer(this.from, frame, state.running.size);
  }
}

/** A message as plain data. Fields at their default live on its prototype, where msgpack does not look. */
function withDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDefaults);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const plain: Record<string, unknown> = {};
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (typeof field !== "function") plain[key] = withDefaults(field);
  }
  return plain;
}
