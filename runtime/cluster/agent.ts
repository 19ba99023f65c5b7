import { actors } from "#protos";
import type { Installed } from "../bundles/cache.js";
import type { NodeBundles } from "../bundles/node.js";
import { Cell } from "../core/cell.js";
import { defineActor } from "../core/definition.js";
import { ActorsError, toFailure } from "../core/errors.js";
import { type ActorId, agentId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import { type ActorRecord, label } from "../directory/directory.js";
import type { Hosted, OnExit } from "../hosting/hosted.js";
import { instantiate } from "../hosting/instance.js";
import { mayAskAgent } from "./access.js";
import { type AgentProtocol, agentMethods, coordinatorHandle } from "./protocol.js";

/** How incarnations start here, by hosting; given by who runs the agent. */
export interface Starters {
  inline(record: ActorRecord): Promise<Hosted>;
  thread(record: ActorRecord, onExit: OnExit): Promise<Hosted>;
  process(record: ActorRecord, onExit: OnExit): Promise<Hosted>;
}

const reportMs = 30_000;

/** A node's hands: starts what the coordinator places here, and tells it what ended. */
export class Agent implements AgentProtocol {
  readonly #runtime: Runtime;
  readonly #starters: Starters;
  readonly #bundles: NodeBundles | undefined;
  readonly #hosted = new Map<string, { epoch: number; hosted: Promise<Hosted> }>();
  readonly #restarts = new Map<string, number>();

  /** @param bundles where there is a store to get them from */
  constructor(runtime: Runtime, starters: Starters, bundles?: NodeBundles) {
    this.#runtime = runtime;
    this.#starters = starters;
    this.#bundles = bundles;
  }

  /** Starts of later incarnations here, by definition. */
  get restarts(): ReadonlyMap<string, number> {
    return this.#restarts;
  }

  async start(encoded: Uint8Array): Promise<{ endpoint: string; pid: number }> {
    const record = actors.v1.ActorRecord.decode(Buffer.from(encoded)); // of the message nothing is held on to
    const known = this.#hosted.get(record.id);
    const now = this.#runtime.resolver.resolve(record.id as ActorId);
    const newest = Math.max(known?.epoch ?? 0, now.epoch);
    // Else asked for by a coordinator that is none any more, and come late.
    if (newest > record.epoch || now.state === "gone")
      throw new ActorsError("NOT_HERE", `${label(record)} is past incarnation ${record.epoch}`);
    if (known && known.epoch < record.epoch) await this.#end(record.id, "a newer incarnation starts here");
    let entry = this.#hosted.get(record.id);
    if (!entry) {
      entry = { epoch: record.epoch, hosted: this.#launch(record) };
      this.#hosted.set(record.id, entry);
    }
    try {
      const { endpoint, pid } = await entry.hosted;
      return { endpoint, pid };
    } catch (error) {
      if (this.#hosted.get(record.id) === entry) this.#hosted.delete(record.id);
      throw error;
    }
  }

  async stop(id: string, epoch: number, reason: string): Promise<void> {
    const known = this.#hosted.get(id);
    if (known && known.epoch <= epoch) await this.#end(id, reason);
  }

  hosted(): Promise<{ id: string; epoch: number }[]> {
    return Promise.resolve([...this.#hosted].map(([id, { epoch }]) => ({ id, epoch })));
  }

  bundles(): Promise<Installed[]> {
    return Promise.resolve(this.#bundles?.list() ?? []);
  }

  removeBundle(hash: string): Promise<boolean> {
    return this.#bundles?.remove(hash) ?? Promise.resolve(false);
  }

  async stopAll(reason: string): Promise<void> {
    this.#bundles?.close();
    await Promise.allSettled([...this.#hosted.keys()].map((id) => this.#end(id, reason)));
  }

  async #launch(record: ActorRecord): Promise<Hosted> {
    if (record.epoch > 1 && record.rested === 0)
      this.#restarts.set(record.def, (this.#restarts.get(record.def) ?? 0) + 1);
    const onExit = (failure: ActorsError) => void this.#exited(record, failure);
    const bundled = await this.#bundles?.use(record.module);
    if (!bundled) return this.#start(record, onExit);
    const { url: module, release } = bundled;
    try {
      const hosted = await this.#start(new actors.v1.ActorRecord({ ...record, module }), (failure) => {
        release();
        onExit(failure);
      });
      return {
        ...hosted,
        stop: (reason) => hosted.stop(reason).finally(release),
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  #start(record: ActorRecord, onExit: OnExit): Promise<Hosted> {
    if (record.hosting === actors.v1.Hosting.THREAD) return this.#starters.thread(record, onExit);
    if (record.hosting === actors.v1.Hosting.PROCESS) return this.#starters.process(record, onExit);
    return this.#starters.inline(record);
  }

  /** On the agent's own endpoint. */
  async startHere(record: ActorRecord): Promise<Hosted> {
    const instance = await instantiate(this.#runtime, record);
    return {
      endpoint: this.#runtime.endpoint.id,
      pid: process.pid,
      stop: (reason) => instance.stop(reason),
    };
  }

  async #end(id: string, reason: string): Promise<void> {
    const entry = this.#hosted.get(id);
    this.#hosted.delete(id);
    const hosted = await entry?.hosted.catch(() => undefined);
    await hosted?.stop(reason);
  }

  async #exited(record: ActorRecord, failure: ActorsError): Promise<void> {
    if (this.#hosted.get(record.id)?.epoch === record.epoch) this.#hosted.delete(record.id);
    const tell = coordinatorHandle(this.#runtime.endpoint.calls).exited.with({ timeoutMs: reportMs });
    await tell(record.id, record.epoch, actors.v1.Failure.encode(toFailure(failure)).finish()).catch((err: unknown) => {
      this.#runtime.log.warn(
        { err, actor: record.id },
        "the coordinator could not be told of an exit; it will see it when it next audits",
      );
    });
  }
}

const agentDef = defineActor({
  name: "$agent",
  module: import.meta.url,
  class: Agent as unknown as new () => Agent,
  idempotent: agentMethods,
  shared: agentMethods,
});

export function hostAgent(runtime: Runtime, agent: Agent): void {
  const cell = new Cell({ id: agentId(runtime.node), epoch: 0, def: agentDef as never }, agent, () => {});
  cell.guard = mayAskAgent;
  runtime.endpoint.server.host(cell);
}
