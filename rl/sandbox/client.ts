import { ActorsError, type Handle, isActorsError } from "../../runtime/index.js";
import type { Holder, SandboxActor } from "./actor.js";
import { type Op, type OpResult, patience, type RunOptions, type SandboxSession } from "./session.js";

const linkMs = 5_000;
const releaseMs = 5_000;

/** Sandboxes of a SandboxActor on any node, as sessions. */
export class SandboxClient {
  readonly #actor: Handle<SandboxActor>;
  readonly #holder: Holder | undefined;

  /** With a holder, a restarted actor gets back at once what it held before it died. */
  constructor(actor: Handle<SandboxActor>, holder?: Holder) {
    this.#actor = actor;
    this.#holder = holder;
  }

  /** @throws ActorsError, retryable, when none is free within `timeoutMs` (default 30 s) or the actor is lost */
  async open({ timeoutMs = 30_000, signal }: RunOptions = {}): Promise<RemoteSession> {
    const { id } = await this.#actor.checkout.with({ timeoutMs, ...(signal && { signal }) })(this.#holder);
    return new RemoteSession(this.#actor, id);
  }
}

export class RemoteSession implements SandboxSession, AsyncDisposable {
  readonly id: string;
  readonly #actor: Handle<SandboxActor>;

  constructor(actor: Handle<SandboxActor>, id: string) {
    this.id = id;
    this.#actor = actor;
  }

  async run(ops: readonly Op[], { timeoutMs = patience(ops) + linkMs, signal }: RunOptions = {}): Promise<OpResult[]> {
    try {
      const call = this.#actor.run.with({ timeoutMs, ...(signal && { signal }) });
      const { results } = await call({ sandbox: this.id, ops: ops as Op[] });
      return (results ?? []) as OpResult[];
    } catch (cause) {
      if (signal?.aborted || (isActorsError(cause) && cause.retryable)) throw cause;
      // Whatever went wrong, it was not the agent: the episode can be played again in another sandbox.
      throw new ActorsError("UNAVAILABLE", `sandbox ${this.id} is lost: ${(cause as Error).message}`, { cause });
    }
  }

  /** Gives it back. When that does not arrive, the actor takes it back after its idle time. */
  async release(): Promise<void> {
    await this.#actor.release
      .with({ timeoutMs: releaseMs })(this.id)
      .catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
