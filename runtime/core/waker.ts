import type { Resolver } from "../directory/directory.js";
import type { MethodSpec } from "./definition.js";
import { isActorsError } from "./errors.js";
import type { Caller } from "./handle.js";
import { type ActorId, coordinatorId } from "./ids.js";

const wakeMs = 30_000;
const againMs = 1_000;
const wake: MethodSpec = { name: "wake", stream: false, idempotent: true, shared: true, wire: undefined };

/** Has passive actors started again for which something waits here. */
export class Waker {
  readonly #caller: Caller;
  readonly #resolver: Resolver;
  readonly #waits: (actor: ActorId) => boolean;
  readonly #impossible: (actor: ActorId, error: Error) => void;
  readonly #waking = new Set<ActorId>();
  #closed = false;

  /** @param impossible told of an actor that no node could hold */
  constructor(
    caller: Caller,
    resolver: Resolver,
    waits: (actor: ActorId) => boolean,
    impossible: (actor: ActorId, error: Error) => void,
  ) {
    this.#caller = caller;
    this.#resolver = resolver;
    this.#waits = waits;
    this.#impossible = impossible;
  }

  /** What waits for an actor that is passive, or was sent as it became so, has it started again. */
  look(actor: ActorId): void {
    if (this.#resolver.resolve(actor).state === "passive" && this.#waits(actor)) this.wake(actor);
  }

  /** Once at a time for each, however many calls wait. */
  wake(actor: ActorId): void {
    if (this.#closed || this.#waking.has(actor)) return;
    this.#waking.add(actor);
    this.#caller.call(coordinatorId, wake, [actor], { timeoutMs: wakeMs }).then(
      () => this.#over(actor),
      (error: unknown) => {
        if (isActorsError(error, "INFEASIBLE")) this.#impossible(actor, error);
        setTimeout(() => this.#over(actor), againMs).unref(); // what else failed may pass within the calls' deadlines
      },
    );
  }

  close(): void {
    this.#closed = true;
  }

  #over(actor: ActorId): void {
    this.#waking.delete(actor);
    if (!this.#closed) this.look(actor);
  }
}
