import type { ActorDef, MethodSpec } from "./definition.js";

/** Upper bounds of the buckets of handlers' times, in milliseconds; one more bucket has none. */
export const bucketMs = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000] as const;

/** What stands for a method that the actor does not have: callers may invent any number of names. */
export const unknownMethod = "(unknown)";

/** One method of a definition in numbers, over all its actors that lived on an endpoint. */
export interface MethodReport {
  def: string;
  method: string;
  /** Handlers that ended without an error. */
  ok: number;
  /** By error code: handlers that threw, and calls that reached no handler. */
  errors: Record<string, number>;
  /** Handlers by the time they took, as {@link bucketMs}; streams left out. */
  buckets: number[];
  totalMs: number;
}

export class Tally {
  ok = 0;
  totalMs = 0;
  readonly buckets = new Array<number>(bucketMs.length + 1).fill(0);
  readonly errors = new Map<string, number>();

  took(ms: number): void {
    this.totalMs += ms;
    let i = 0;
    while (i < bucketMs.length && ms > bucketMs[i]!) i++;
    this.buckets[i]!++;
  }

  fail(code: string): void {
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }
}

export interface Counted extends MethodSpec {
  readonly tally: Tally;
}

/** The counts of an endpoint. They outlive the actors that made them. */
export class Tallies {
  readonly #byDef = new Map<string, Map<string, Tally>>();
  readonly #counted = new WeakMap<ActorDef, ReadonlyMap<string, Counted>>();

  /** The methods of a definition with their counts, which all its actors share. */
  counted(def: ActorDef): ReadonlyMap<string, Counted> {
    let methods = this.#counted.get(def);
    if (!methods) {
      methods = new Map([...def.methods].map(([name, spec]) => [name, { ...spec, tally: this.of(def.name, name) }]));
      this.#counted.set(def, methods);
    }
    return methods;
  }

  of(def: string, method: string): Tally {
    let methods = this.#byDef.get(def);
    if (!methods) {
      methods = new Map();
      this.#byDef.set(def, methods);
    }
    let tally = methods.get(method);
    if (!tally) {
      tally = new Tally();
      methods.set(method, tally);
    }
    return tally;
  }

  /** Methods that were ever called. */
  report(): MethodReport[] {
    const all: MethodReport[] = [];
    for (const [def, methods] of this.#byDef) {
      for (const [method, { ok, totalMs, buckets, errors }] of methods) {
        if (ok === 0 && errors.size === 0) continue;
        all.push({ def, method, ok, totalMs, buckets: [...buckets], errors: Object.fromEntries(errors) });
      }
    }
    return all;
  }
}
