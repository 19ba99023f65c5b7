import { Parcel } from "./bulk.js";
import type { MethodName, MethodSpec } from "./definition.js";
import { ActorsError } from "./errors.js";
import type { Caller, CallOptions, Handle } from "./handle.js";
import type { ActorId } from "./ids.js";
import { isAsyncIterable } from "./sources.js";

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

export function makeGroup<A extends object>(
  caller: Caller,
  members: Handle<A>[],
  methods: Iterable<MethodSpec>,
): Group<A> {
  const load = new Array<number>(members.length).fill(0);
  const group = [...members] as unknown as Record<string, unknown>;
  for (const method of methods) {
    if (method.stream || method.name in group) continue; // an Array's own method keeps its meaning
    const toAll = async <R>(args: unknown[], send: (to: ActorId, parcel: Parcel | undefined) => Promise<R>) => {
      const parcel = args.some(isAsyncIterable) ? undefined : new Parcel(); // every member reads a stream of its own
      const sent = members.map(async ({ id }) => send(id, parcel));
      parcel?.close();
      const settled = await Promise.allSettled(sent);
      const failed = settled.find((each) => each.status === "rejected");
      if (failed) throw failed.reason;
      return settled.map((each) => (each as PromiseFulfilledResult<Awaited<R>>).value);
    };
    const bound = (options: CallOptions) => ({
      all: (...args: unknown[]) =>
        toAll(args, (to, parcel) => caller.call(to, method, args, parcel ? { ...options, parcel } : options)),
      async any(...args: unknown[]) {
        if (members.length === 0) {
          throw new ActorsError("NOT_FOUND", `the group has no member to call ${method.name} on`);
        }
        const rank = load.indexOf(Math.min(...load));
        load[rank]!++;
        try {
          return await caller.call(members[rank]!.id, method, args, options);
        } finally {
          load[rank]!--;
        }
      },
    });
    group[method.name] = {
      ...bound({}),
      with: bound,
      async tell(...args: unknown[]) {
        await toAll(args, (to, parcel) => caller.tell(to, method, args, parcel));
      },
    };
  }
  return group as unknown as Group<A>;
}
