import type { Parcel } from "./bulk.js";
import { type HandleState, Serialisable } from "./codec.js";
import type { ActorDef, MethodName, MethodSpec } from "./definition.js";
import { definitionsOf } from "./definition.js";
import { ActorsError } from "./errors.js";
import type { ActorId } from "./ids.js";

export interface CallOptions {
  /** Default 30,000. The callee sees what is left of it. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /**
   * true begins a trace, unless the call is made in the course of a traced one, whose trace it carries on anyway. A W3C
   * traceparent continues that trace. The handler sees it as `ctx.call.trace`.
   */
  trace?: boolean | string;
}

export interface UnaryMethod<P extends unknown[], R> {
  (...args: P): Promise<R>;
  /** The same method with options, which never mix with arguments. */
  with(options: CallOptions): (...args: P) => Promise<R>;
  /**
   * One way: no answer, no error; what its handler throws is an event `tell-failed`. At most once, in order with calls.
   * @returns resolves when it is on its way: at once, unless the actor's mailbox is full. Never rejects
   */
  tell(...args: P): Promise<void>;
}

export interface StreamMethod<P extends unknown[], T> {
  /** Items as they come, with credit; leaving the loop cancels at the producer. */
  (...args: P): AsyncGenerator<T, void, undefined>;
  with(options: CallOptions): (...args: P) => AsyncGenerator<T, void, undefined>;
}

type MethodOf<F> = F extends (...args: infer P) => AsyncGenerator<infer T>
  ? StreamMethod<P, T>
  : F extends (...args: infer P) => infer R
    ? UnaryMethod<P, Awaited<R>>
    : never;

/** A typed reference to an actor. It can be passed in arguments; its methods are the class's own. */
export type Handle<A extends object> = HandleBase & { readonly [K in MethodName<A>]: MethodOf<A[K]> };

/** Of one call of several with the same arguments. */
export interface GroupCallOptions extends CallOptions {
  parcel?: Parcel | undefined;
}

/** What a handle needs from its endpoint. */
export interface Caller {
  call(to: ActorId, method: MethodSpec, args: unknown[], options: GroupCallOptions): Promise<unknown>;
  stream(
    to: ActorId,
    method: MethodSpec,
    args: unknown[],
    options: CallOptions,
  ): AsyncGenerator<unknown, void, undefined>;
  tell(to: ActorId, method: MethodSpec, args: unknown[], parcel?: Parcel): Promise<void>;
}

export class HandleBase extends Serialisable {
  readonly id: ActorId;
  /** Name of the definition. */
  readonly def: string;
  readonly #methods: readonly string[];

  constructor(id: ActorId, def: string, methods: readonly string[]) {
    super();
    this.id = id;
    this.def = def;
    this.#methods = methods;
  }

  toState(): HandleState {
    return { id: this.id, def: this.def, methods: [...this.#methods] };
  }

  toJSON(): string {
    return `${this.def}(${this.id})`;
  }
}

const marks = (m: MethodSpec) => m.name + (m.stream ? "*" : "") + (m.idempotent ? "!" : "") + (m.shared ? "&" : "");

/** `name*` is a stream, `name!` idempotent, `name&` shared: enough to call an actor whose class is not loaded here. */
export function methodMarks(def: ActorDef): string[] {
  return [...def.methods.values()].map(marks);
}

function parseMark(mark: string): MethodSpec {
  const [, name, stream, idempotent, shared] = /^(.*?)(\*?)(!?)(&?)$/.exec(mark)!;
  return { name: name!, stream: !!stream, idempotent: !!idempotent, shared: !!shared, wire: undefined };
}

type Methods = ReadonlyMap<string, MethodSpec>;
const kinds = new WeakMap<Caller, WeakMap<Methods, Kind>>();
const known = new WeakMap<ActorDef, string>();
const parsed = new Map<string, Methods>(); // one entry a protocol

export function makeHandle<A extends object>(caller: Caller, id: ActorId, def: ActorDef<A, never>): Handle<A> {
  return build(caller, id, def.name, def.methods) as Handle<A>;
}

export function reviveHandle(caller: Caller, { id, def, methods }: HandleState): HandleBase {
  return build(caller, id as ActorId, def, methodsOf(def, methods));
}

/** Those of the one definition here with this protocol, for it has the wire tables; else what the marks tell. */
function methodsOf(name: string, methods: readonly string[]): Methods {
  const key = methods.join();
  const [def, another] = definitionsOf(name).filter((each) => protocolOf(each) === key);
  if (def && !another) return def.methods;
  let made = parsed.get(key);
  if (!made) {
    made = new Map(methods.map(parseMark).map((spec) => [spec.name, spec]));
    parsed.set(key, made);
  }
  return made;
}

function protocolOf(def: ActorDef): string {
  let protocol = known.get(def);
  if (protocol === undefined) {
    protocol = methodMarks(def).join();
    known.set(def, protocol);
  }
  return protocol;
}

/** What the handles of one protocol share: a class, whose getters make a method when it is first used, and its marks. */
interface Kind {
  new (id: ActorId, def: string, marks: readonly string[]): HandleBase;
  marks: readonly string[];
}

function build(caller: Caller, id: ActorId, defName: string, methods: Methods): HandleBase {
  let own = kinds.get(caller);
  if (!own) {
    own = new WeakMap();
    kinds.set(caller, own);
  }
  let Own = own.get(methods);
  if (!Own) {
    Own = kindOf(caller, methods);
    own.set(methods, Own);
  }
  return new Own(id, defName, Own.marks);
}

function kindOf(caller: Caller, methods: Methods): Kind {
  class Own extends HandleBase {
    static readonly marks = [...methods.values()].map(marks);
  }
  for (const method of methods.values()) {
    Object.defineProperty(Own.prototype, method.name, {
      enumerable: true,
      get(this: HandleBase) {
        const bound = bind(caller, this.id, method);
        Object.defineProperty(this, method.name, { value: bound });
        return bound;
      },
    });
  }
  return Own;
}

const none: CallOptions = {};

function bind(caller: Caller, id: ActorId, method: MethodSpec): unknown {
  if (method.stream) {
    const stream = (...args: unknown[]) => caller.stream(id, method, args, none);
    return Object.assign(stream, {
      with:
        (options: CallOptions) =>
        (...args: unknown[]) =>
          caller.stream(id, method, args, options),
    });
  }
  const call = (...args: unknown[]) => caller.call(id, method, args, none);
  return Object.assign(call, {
    with:
      (options: CallOptions) =>
      (...args: unknown[]) =>
        caller.call(id, method, args, options),
    tell: (...args: unknown[]) => caller.tell(id, method, args),
  });
}

export function idOf(handle: object): ActorId {
  if (handle instanceof HandleBase) return handle.id;
  throw new ActorsError("INVALID_ARGUMENT", "expected an actor handle");
}
