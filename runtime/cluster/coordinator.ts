import { actors } from "#protos";
import { ActorsError, fromFailure, isActorsError, toFailure } from "../core/errors.js";
import type { Caller } from "../core/handle.js";
import type { ActorId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import { pause } from "../core/wait.js";
import { type ActorRecord, ActorState, type Directory, label, NodeState } from "../directory/directory.js";
import type { Bus } from "../transport/bus.js";
import { emit } from "./events.js";
import { type Candidate, place, shortage } from "./placement.js";
import { agentHandle, type CoordinatorProtocol } from "./protocol.js";
import { Records } from "./records.js";
import { RestartBudget } from "./restarts.js";

const startMs = 65_000;
const placeAgainMs = 100;
const viewLagMs = 300; // our copy of the directory may not show yet a node that has just joined
const keptRecords = 1_000; // ended actors that `ps` still shows

/** Places, starts, restarts and stops actors. Lives on the node that holds the lease; its truth is in the directory. */
export class Coordinator implements CoordinatorProtocol {
  readonly #caller: Caller;
  readonly #directory: Directory;
  readonly #bus: Bus;
  readonly #log: Logger;
  readonly #records: Records;
  readonly #budget = new RestartBudget();
  /** One transition of an actor at a time, in order. */
  readonly #lanes = new Map<ActorId, Promise<unknown>>();
  readonly #ended = new AbortController();
  /** Nodes chosen but not yet written, so that placements made side by side see each other. */
  readonly #chosen = new Map<string, string>();

  /** @param on.leads whether this is the coordinator still, by the store itself */
  constructor(on: { caller: Caller; directory: Directory; bus: Bus; log: Logger; leads(): Promise<boolean> }) {
    this.#caller = on.caller;
    this.#directory = on.directory;
    this.#bus = on.bus;
    this.#log = on.log;
    this.#records = new Records(on.directory, on.leads);
  }

  /** Takes up what the one before left half done. */
  async takeOver(): Promise<void> {
    for (const record of this.#records.live()) {
      const node = this.#directory.nodes.get(record.node)?.record;
      const lost = !node || node.state === NodeState.NODE_DEAD;
      if (record.state === ActorState.RUNNING && !lost) continue;
      const cause = new ActorsError(
        "ACTOR_DIED",
        `its node ${record.node || "(none)"} was gone when coordinator changed`,
      );
      if (record.state === ActorState.RUNNING) void this.#inLane(record, () => this.#died(record, cause));
      else void this.#inLane(record, () => this.#launch(record, Date.now() + startMs));
    }
    for (const { record } of this.#directory.nodes.values())
      if (record.state !== NodeState.NODE_DEAD) void this.#audit(record.id);
  }

  end(): void {
    this.#ended.abort();
  }

  async spawn(encoded: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const wanted = actors.v1.ActorRecord.decode(encoded);
    const id = wanted.id as ActorId;
    const record = await this.#inLane(wanted, async () => {
      const known = this.#records.get(id);
      if (known?.state === ActorState.RUNNING) return known; // the same request, sent again
      if (known && known.state >= ActorState.STOPPED) throw gone(known);
      if (wanted.name && !(await this.#records.claim(wanted.name, id))) {
        throw new ActorsError("NAME_TAKEN", `an actor named ${wanted.name} is already running`, {
          hint: "Use system.lookup to reach it, or another name.",
        });
      }
      const created =
        known ??
        (await this.#records.create(new actors.v1.ActorRecord({ ...wanted, epoch: 1, state: ActorState.PENDING })));
      return this.#launch(created, Date.now() + timeoutMs);
    });
    return actors.v1.ActorRecord.encode(record).finish();
  }

  async stop(id: string, reason: string): Promise<void> {
    const record = this.#records.get(id as ActorId);
    if (record) await this.#inLane(record, () => this.#stop(id as ActorId, reason));
  }

  async exited(id: string, epoch: number, failure: Uint8Array): Promise<void> {
    const record = this.#records.get(id as ActorId);
    if (!record) return;
    // Not awaited: a restart may take long, and the agent only wants to be heard.
    void this.#inLane(record, async () => {
      const now = this.#records.get(id as ActorId);
      if (now?.epoch !== epoch || now.state !== ActorState.RUNNING) return;
      await this.#died(now, fromFailure(actors.v1.Failure.decode(failure)));
    });
  }

  async nodeGone(node: string, reason: string): Promise<void> {
    const entry = this.#directory.nodes.get(node);
    if (!entry || entry.record.state === NodeState.NODE_DEAD) return;
    const dead = new actors.v1.NodeRecord({ ...entry.record, state: NodeState.NODE_DEAD });
    const revision = await this.#directory.store.update(
      `node.${node}`,
      actors.v1.NodeRecord.encode(dead).finish(),
      entry.revision,
    );
    if (!revision) return;
    const lost = this.#records.live().filter((r) => r.node === node);
    emit(this.#bus, "node-dead", node, `node ${node} is gone (${reason}); ${describe(lost)}`);
    const cause = new ActorsError("ACTOR_DIED", `node ${node} is gone: ${reason}`, { details: { node } });
    for (const record of lost) {
      void this.#inLane(record, async () => {
        const now = this.#records.get(record.id as ActorId);
        if (now?.node === node && now.state === ActorState.RUNNING) await this.#died(now, cause);
      });
    }
  }

  /** Stops what a client or actor that is gone has spawned. */
  async orphan(owner: string, why: string): Promise<void> {
    const children = this.#records.live().filter((r) => r.parent === owner);
    await Promise.allSettled(children.map((r) => this.stop(r.id, why)));
  }

  owners(): string[] {
    return [...new Set(this.#records.live().map((r) => r.parent))];
  }

  /** Places the actor and starts it there; tries elsewhere when a node is lost meanwhile. */
  async #launch(record: ActorRecord, until: number): Promise<ActorRecord> {
    const id = record.id as ActorId;
    let deaths = 0;
    try {
      for (;;) {
        const node = await this.#place(record, until);
        const epoch = record.epoch;
        const starting = await this.#records.change(id, { state: ActorState.STARTING, node, epoch });
        try {
          const start = agentHandle(this.#caller, node).start.with({ timeoutMs: startMs });
          const at = await start(actors.v1.ActorRecord.encode(starting).finish());
          const host = this.#directory.nodes.get(node)?.record.host ?? "";
          return await this.#records.change(id, {
            state: ActorState.RUNNING,
            endpoint: at.endpoint,
            pid: at.pid,
            host,
          });
        } catch (error) {
          const lost =
            isActorsError(error) &&
            (error.code === "UNAVAILABLE" || error.code === "ACTOR_DIED" || error.code === "DEADLINE_EXCEEDED");
          const tooOften = isActorsError(error, "ACTOR_DIED") && ++deaths > (record.restart?.max ?? 0);
          if (!lost || tooOften || this.#ended.signal.aborted || Date.now() > until) throw error;
          // A copy may have started there after all: the next attempt is another incarnation.
          record = await this.#records.change(id, { state: ActorState.RESTARTING, node: "", epoch: epoch + 1 });
          await pause(placeAgainMs, this.#ended.signal);
        }
      }
    } catch (error) {
      if (this.#ended.signal.aborted) throw error;
      await this.#records.change(id, { state: ActorState.FAILED, failure: new actors.v1.Failure(toFailure(error)) });
      const why = ActorsError.from(error).rawMessage;
      const text = why.includes(label(record)) ? why : `${label(record)} did not start: ${why}`;
      emit(this.#bus, "actor-failed", id, text);
      throw error;
    } finally {
      this.#chosen.delete(id);
    }
  }

  async #place(record: ActorRecord, until: number): Promise<string> {
    const wish = { needs: record.needs ?? {}, node: record.wantNode, what: label(record) };
    const sure = Date.now() + viewLagMs;
    for (;;) {
      const nodes = this.#candidates(record.id);
      const node = Date.now() > sure ? place(wish, nodes) : placeIfFeasible(wish, nodes);
      if (node) {
        this.#chosen.set(record.id, node);
        return node;
      }
      if (Date.now() > until || this.#ended.signal.aborted) {
        throw new ActorsError("DEADLINE_EXCEEDED", `no room for ${wish.what}: ${shortage(wish, nodes)}`, {
          hint: "Stop something, or add a node.",
        });
      }
      await pause(placeAgainMs, this.#ended.signal);
    }
  }

  #candidates(except: string): Candidate[] {
    const placed = this.#records.live().filter((r) => r.id !== except);
    const nodeOf = (r: ActorRecord) => this.#chosen.get(r.id) ?? r.node;
    return [...this.#directory.nodes.values()]
      .filter(({ record }) => record.state !== NodeState.NODE_DRAINING)
      .map(({ record }) => ({
        away: record.state === NodeState.NODE_DEAD,
        id: record.id,
        slot: record.slot,
        capacity: record.capacity ?? {},
        used: placed.filter((r) => nodeOf(r) === record.id).map((r) => r.needs ?? {}),
      }));
  }

  /** An incarnation ended by itself: restart by its policy, or give up. Its children end with it. */
  async #died(record: ActorRecord, cause: ActorsError): Promise<void> {
    const id = record.id as ActorId;
    const failure = new actors.v1.Failure(toFailure(cause));
    const started = performance.now();
    const delay = this.#budget.next(id, record.restart);
    await this.orphan(id, `its parent ${label(record)} died`);
    if (delay === undefined) {
      await this.#records.change(id, { state: ActorState.FAILED, failure, endpoint: "" });
      emit(
        this.#bus,
        "actor-failed",
        id,
        `${label(record)} died (${cause.rawMessage}) and is not restarted: its policy allows no more restarts`,
      );
      return;
    }
    const epoch = record.epoch + 1;
    const restarts = record.restarts + 1;
    const waiting = await this.#records.change(id, {
      state: ActorState.RESTARTING,
      epoch,
      restarts,
      failure,
      node: "",
      endpoint: "",
      pid: 0,
    });
    emit(this.#bus, "actor-died", id, `${label(record)} died on ${record.node} (${cause.rawMessage}); restarting it`);
    await pause(delay, this.#ended.signal);
    const running = await this.#launch(waiting, Date.now() + startMs);
    const ms = Math.round(performance.now() - started);
    emit(
      this.#bus,
      "actor-restarted",
      id,
      `${label(record)} runs again on ${running.node} as incarnation ${running.epoch}, after ${ms} ms`,
    );
  }

  async #stop(id: ActorId, reason: string): Promise<void> {
    const record = this.#records.get(id);
    if (!record || record.state >= ActorState.STOPPED) return;
    await this.orphan(id, `its parent ${label(record)} was stopped`);
    if (record.node && this.#directory.nodes.get(record.node)?.record.state !== NodeState.NODE_DEAD) {
      const stop = agentHandle(this.#caller, record.node).stop.with({ timeoutMs: 15_000 });
      await stop(id, record.epoch, reason).catch((err: unknown) =>
        this.#log.warn({ err, actor: id }, "could not be stopped in time"),
      );
    }
    await this.#records.change(id, { state: ActorState.STOPPED, endpoint: "", pid: 0 });
    emit(this.#bus, "actor-stopped", id, `${label(record)} stopped: ${reason}`);
    const ended = this.#records.all().filter((r) => r.state >= ActorState.STOPPED);
    for (const old of ended.slice(0, Math.max(0, ended.length - keptRecords)))
      await this.#records.remove(old.id as ActorId);
  }

  /** Compares what a node hosts with what the records say it does. */
  async #audit(node: string): Promise<void> {
    const hosted = await agentHandle(this.#caller, node)
      .hosted.with({ timeoutMs: 5_000 })()
      .catch(() => undefined);
    if (!hosted || this.#ended.signal.aborted) return;
    for (const record of this.#records.live()) {
      if (record.node !== node || record.state !== ActorState.RUNNING) continue;
      if (hosted.some((h) => h.id === record.id && h.epoch === record.epoch)) continue;
      const cause = new ActorsError("ACTOR_DIED", `node ${node} no longer hosts it`);
      void this.#inLane(record, async () => {
        if (this.#records.get(record.id as ActorId)?.epoch === record.epoch) await this.#died(record, cause);
      });
    }
  }

  async #inLane<T>(record: { id: string }, step: () => Promise<T>): Promise<T> {
    const id = record.id as ActorId;
    const before = this.#lanes.get(id) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(step);
    this.#lanes.set(id, mine);
    mine
      .catch((err: unknown) => this.#log.debug({ err, actor: id }, "transition failed"))
      .finally(() => {
        if (this.#lanes.get(id) === mine) this.#lanes.delete(id);
      });
    return mine;
  }
}

function placeIfFeasible(...[wish, nodes]: Parameters<typeof place>): string | undefined {
  try {
    return place(wish, nodes);
  } catch {
    return undefined;
  }
}

function describe(lost: ActorRecord[]): string {
  if (lost.length === 0) return "it hosted no actor";
  return `restarting ${lost.map(label).join(", ")} on other nodes`;
}

function gone(record: ActorRecord): ActorsError {
  return record.failure
    ? fromFailure(record.failure)
    : new ActorsError("ACTOR_STOPPED", `${label(record)} was stopped`);
}
