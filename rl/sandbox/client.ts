import { actors } from "#protos";
import { ActorsError, type Handle, isActorsError } from "../../runtime/index.js";
import type { Holder, SandboxActor } from "./actor.js";
import type { CreateOptions } from "./pool.js";
import { type ForkOptions, Sandbox, type SnapshotId } from "./sandbox.js";
import { type Op, type OpResult, patience, type RunOptions } from "./session.js";
import type { Template } from "./snapshots.js";

const linkMs = 5_000;
const openMs = 30_000;
const templateMs = 600_000;
const shortMs = 5_000;

/** Sandboxes of a SandboxActor on any node. */
export class SandboxClient {
  readonly #actor: Handle<SandboxActor>;
  readonly #holder: Holder | undefined;

  /** With a holder, a restarted actor gets back at once what it held before it died. */
  constructor(actor: Handle<SandboxActor>, holder?: Holder) {
    this.#actor = actor;
    this.#holder = holder;
  }

  /** @throws ActorsError, retryable, when none is free within `timeoutMs` (default 30 s) or the actor is lost */
  async open({ timeoutMs = openMs, signal, ...options }: CreateOptions = {}): Promise<RemoteSandbox> {
    const checkout = this.#actor.checkout.with({ timeoutMs, ...(signal && { signal }) });
    const { id } = await checkout({ ...options, ...(this.#holder && { holder: this.#holder }) });
    return new RemoteSandbox(this.#actor, id);
  }

  /** Makes the snapshot of a template unless its actor has it. The time is for its setup too: 10 min by default. */
  template(template: Template, { timeoutMs = templateMs, signal }: RunOptions = {}): Promise<SnapshotId> {
    return this.#actor.template.with({ timeoutMs, ...(signal && { signal }) })(template);
  }

  /** Forgets a snapshot. What was made from it goes on. */
  drop(snapshot: SnapshotId): Promise<void> {
    return this.#actor.drop.with({ timeoutMs: shortMs })(snapshot);
  }
}

export class RemoteSandbox extends Sandbox {
  readonly id: string;
  readonly #actor: Handle<SandboxActor>;

  constructor(actor: Handle<SandboxActor>, id: string) {
    super();
    this.id = id;
    this.#actor = actor;
  }

  async run(ops: readonly Op[], options: RunOptions = {}): Promise<OpResult[]> {
    const { timeoutMs = patience(ops) + linkMs, signal, onOutput } = options;
    const limits = { timeoutMs, ...(signal && { signal }) };
    const request = { sandbox: this.id, ops: ops as Op[] };
    try {
      if (onOutput) return await this.#stream(request, limits, onOutput);
      const { results } = await this.#actor.run.with(limits)(request);
      return (results ?? []) as OpResult[];
    } catch (cause) {
      if (signal?.aborted || (isActorsError(cause) && cause.retryable)) throw cause;
      // Whatever went wrong, it was not the agent: the episode can be played again in another sandbox.
      throw new ActorsError("UNAVAILABLE", `sandbox ${this.id} is lost: ${(cause as Error).message}`, { cause });
    }
  }

  snapshot(): Promise<SnapshotId> {
    return this.#actor.keep.with({ timeoutMs: openMs })(this.id);
  }

  async fork({ timeoutMs = openMs, signal, anew = false }: ForkOptions = {}): Promise<RemoteSandbox> {
    const { id } = await this.#actor.fork.with({ timeoutMs, ...(signal && { signal }) })(this.id, { anew });
    return new RemoteSandbox(this.#actor, id);
  }

  /** Gives it back. When that does not arrive, the actor takes it back after its idle time. */
  async release(): Promise<void> {
    await this.#actor.release
      .with({ timeoutMs: shortMs })(this.id)
      .catch(() => {});
  }

  async #stream(
    request: { sandbox: string; ops: Op[] },
    limits: { timeoutMs: number },
    onOutput: NonNullable<RunOptions["onOutput"]>,
  ): Promise<OpResult[]> {
    for await (const item of this.#actor.stream.with(limits)(request)) {
      if ("results" in item) return actors.v1.SandboxResults.decode(item.results).results as OpResult[];
      onOutput(item.chunk);
    }
    throw new ActorsError("UNAVAILABLE", "the stream ended before its results");
  }
}
