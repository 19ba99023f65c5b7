import { ActorsError } from "./errors.js";

export type Hosting = "inline" | "thread" | "process";

/** A protobufjs static message class, as far as the runtime needs it. */
export interface ProtoType<T = unknown> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

export interface WireEntry {
  request: ProtoType<never>;
  reply: ProtoType<never>;
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where any method signature must fit
type AnyFn = (...args: any[]) => any;

/** Names that are never methods: hooks (see `ActorHooks`), `then` (a handle must not look like a promise), `_private`. */
export type Reserved = (typeof reservedNames)[number] | `_${string}`;
const reservedNames = ["constructor", "onStart", "onStop", "snapshot", "restore", "then", "toJSON", "toState"] as const;
const reserved = new Set<string>(reservedNames);
const defaultConcurrency = 4_096;
const defaultSnapshotMs = 1_000;

/** The protocol of an actor class: its public methods. */
export type MethodName<A> = {
  [K in keyof A]: A[K] extends AnyFn ? (K extends Reserved ? never : K) : never;
}[keyof A] &
  string;

export interface ActorSpec<A extends object, Args extends unknown[]> {
  /** Unique in the program; shown by `actors ps`. */
  name: string;
  /** `import.meta.url` of the module that exports the definition, so that any node can load it. */
  module: string;
  class: new (...args: Args) => A;
  /** Methods sent again, under the same call id, when the actor restarted with the call in flight. */
  idempotent?: readonly MethodName<A>[];
  /** Methods that interleave with other handlers. Default: one handler at a time. Streams always interleave. */
  shared?: readonly MethodName<A>[];
  /** Handlers of `shared` methods and streams that may be under way at once; further calls wait. Default 4,096. */
  concurrency?: number;
  /** Where instances live unless the spawn says otherwise: light ones inline, CPU-bound in a thread, native ones in a process. */
  hosting?: Hosting;
  /** Protobuf messages of methods that take one message and answer one; the rest travels as msgpack. */
  wire?: { readonly [K in MethodName<A>]?: WireEntry };
  /**
   * Of a class with `snapshot()` and `restore(state)`: the longest time, in milliseconds, after which what a handler
   * changed is kept. Default 1,000. The next incarnation, wherever it runs, is constructed and then gets the newest state.
   */
  snapshotMs?: number;
  /**
   * Of such a class: without a call for so many milliseconds an instance becomes passive unless its spawn says otherwise.
   * Default 0: never. See `SpawnOptions.passivateAfterMs`.
   */
  passivateAfterMs?: number;
}

export interface ActorDef<A extends object = object, Args extends unknown[] = unknown[]> {
  readonly name: string;
  readonly module: string;
  readonly class: new (...args: Args) => A;
  readonly methods: ReadonlyMap<string, MethodSpec>;
  readonly hosting: Hosting;
  readonly concurrency: number;
  /** Undefined for a class without `snapshot`. */
  readonly snapshotMs: number | undefined;
  readonly passivateAfterMs: number;
}

export interface MethodSpec {
  readonly name: string;
  readonly stream: boolean;
  readonly idempotent: boolean;
  readonly shared: boolean;
  readonly wire: WireEntry | undefined;
}

/** By name, then by module: jobs that share a process may both define a `worker`. */
const registry = new Map<string, Map<string, ActorDef>>();
const AsyncGenerator = Object.getPrototypeOf(async function* () {}).constructor as { new (): unknown };

/**
 * Makes a class spawnable on any node. The definition is a value: export it from the module named by `module`.
 * @throws ActorsError INVALID_ARGUMENT when `idempotent`, `shared` or `wire` names no method.
 */
export function defineActor<A extends object, Args extends unknown[]>(spec: ActorSpec<A, Args>): ActorDef<A, Args> {
  const methods = new Map<string, MethodSpec>();
  const wire = (spec.wire ?? {}) as Record<string, WireEntry | undefined>;
  for (const [name, stream] of methodNames(spec.class.prototype)) {
    const idempotent = (spec.idempotent as readonly string[] | undefined)?.includes(name) ?? false;
    const shared = stream || ((spec.shared as readonly string[] | undefined)?.includes(name) ?? false);
    methods.set(name, { name, stream, idempotent, shared, wire: wire[name] });
  }
  for (const named of [...(spec.idempotent ?? []), ...(spec.shared ?? []), ...Object.keys(wire)]) {
    if (methods.has(named)) continue;
    throw new ActorsError("INVALID_ARGUMENT", `actor ${spec.name} has no method ${named}`, {
      hint: `Its methods are ${[...methods.keys()].join(", ") || "none"}.`,
    });
  }
  if (spec.concurrency !== undefined && !(spec.concurrency >= 1))
    throw new ActorsError("INVALID_ARGUMENT", `actor ${spec.name}: concurrency is ${spec.concurrency}, not 1 or more`);
  const persists = ["snapshot", "restore"].filter((hook) => hook in spec.class.prototype);
  if (persists.length === 1) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `actor ${spec.name} has ${persists[0]}, but not the other of snapshot and restore`,
    );
  }
  const def: ActorDef<A, Args> = {
    name: spec.name,
    module: spec.module,
    class: spec.class,
    methods,
    hosting: spec.hosting ?? "inline",
    concurrency: spec.concurrency ?? defaultConcurrency,
    passivateAfterMs: spec.passivateAfterMs ?? 0,
    snapshotMs: persists.length === 0 ? undefined : (spec.snapshotMs ?? defaultSnapshotMs),
  };
  register(def as unknown as ActorDef, spec.module);
  return def;
}

/** Public methods up the prototype chain; true for async generators. */
function* methodNames(prototype: object): Generator<[string, boolean]> {
  const seen = new Set<string>();
  for (let p = prototype; p && p !== Object.prototype; p = Object.getPrototypeOf(p)) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(p))) {
      if (typeof property.value !== "function" || reserved.has(name) || name.startsWith("_") || seen.has(name))
        continue;
      seen.add(name);
      yield [name, property.value instanceof AsyncGenerator];
    }
  }
}

function register(def: ActorDef, module: string): void {
  const defs = registry.get(def.name) ?? new Map<string, ActorDef>();
  registry.set(def.name, defs.set(module, def));
}

/** All that this process has loaded under that name. */
export function definitionsOf(name: string): ActorDef[] {
  return [...new Set(registry.get(name)?.values() ?? [])];
}

/** Loads the module if need be and returns the definition of that name. */
export async function loadDef(name: string, module: string): Promise<ActorDef> {
  const known = registry.get(name)?.get(module);
  if (known) return known;
  const before = definitionsOf(name);
  try {
    await import(module);
  } catch (cause) {
    throw new ActorsError("START_FAILED", `cannot load ${module} for actor ${name}: ${(cause as Error).message}`, {
      cause,
      hint: "The module must exist on every node, at the same path, or be shipped in a job bundle.",
    });
  }
  const def = registry.get(name)?.get(module) ?? definitionsOf(name).find((each) => !before.includes(each));
  if (!def) {
    throw new ActorsError("START_FAILED", `${module} defines no actor named ${name}`, {
      hint: "Call defineActor with that name at the top level of the module and pass import.meta.url as `module`.",
    });
  }
  register(def, module); // the same file may be known under two paths
  return def;
}
