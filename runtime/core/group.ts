import type { MethodName } from "./definition.js";
import { ActorsError } from "./errors.js";
import type { CallOptions, Handle } from "./handle.js";

interface GroupMethod<P extends unknown[], R> {
  /** Every member; rejects with the first failure, after all have answered. */
  all(...args: P): Promise<R[]>;
  /** The member with the fewest calls of this group in flight. */
  any(...args: P): Promise<R>;
  /** One way, to every member. */
  tell(...args: P): Promise<void>;
  with(options: CallOptions): Pick<GroupMethod<P, R>, "all" | "any">;
}

type GroupMethodOf<F> = F extends (...args: infer P) => infer R
  ? R extends AsyncGenerator<unknown>
    ? never
    : GroupMethod<P, Awaited<R>>
  : never;

/** Members in rank order, and each method with the adverbs all, any, tell. */
export type Group<A extends object> = readonly Handle<A>[] & { readonly [K in MethodName<A>]: GroupMethodOf<A[K]> };

type Unary = ((...args: unknown[]) => Promise<unknown>) & {
  with(options: CallOptions): (...args: unknown[]) => Promise<unknown>;
  tell(...args: unknown[]): Promise<void>;
};

export function makeGroup<A extends object>(members: Handle<A>[], methods: Iterable<string>): Group<A> {
  const load = new Array<number>(members.length).fill(0);
  const group = [...members] as unknown as Record<string, unknown>;
  for (const name of methods) {
    if (name in group) continue; // an Array's own method keeps its meaning
    const of = (rank: number) => (members[rank] as unknown as Record<string, Unary>)[name]!;
    const bound = (options: CallOptions) => ({
      async all(...args: unknown[]) {
        const settled = await Promise.allSettled(members.map((_, rank) => of(rank).with(options)(...args)));
        const failed = settled.find((s) => s.status === "rejected");
        if (failed) throw failed.reason;
        return settled.map((s) => (s as PromiseFulfilledResult<unknown>).value);
      },
      async any(...args: unknown[]) {
        if (members.length === 0) throw new ActorsError("NOT_FOUND", `the group has no member to call ${name} on`);
        const rank = load.indexOf(Math.min(...load));
        load[rank]!++;
        try {
          return await of(rank).with(options)(...args);
        } finally {
          load[rank]!--;
        }
      },
    });
    group[name] = {
      ...bound({}),
      with: bound,
      async tell(...args: unknown[]) {
        await Promise.all(members.map((_, rank) => of(rank).tell(...args)));
      },
    };
  }
  return group as unknown as Group<A>;
}
