import { actors } from "#protos";
import { ActorsError, fromFailure, isActorsError } from "../core/errors.js";
import type { Caller } from "../core/handle.js";
import type { ActorId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import { pause, withDeadline } from "../core/wait.js";
import {
  type ActorRecord,
  ActorState,
  type Directory,
  hasEnded,
  hasStarted,
  label,
  NodeState,
} from "../directory/directory.js";
import type { Snapshots } from "../directory/snapshots.js";
import type { Bus } from "../transport/bus.js";
import { emit } from "./events.js";
import { Gangs, isWaitingInGang, type Steps } from "./gangs.js";
import { Lanes } from "./lanes.js";
import type { Seat } from "./loads.js";
import { Passives } from "./passive.js";
import { agentHandle, type CoordinatorProtocol } from "./protocol.js";
import { Records } from "./records.js";
import { gone, RestartBudget, withCrash } from "./restarts.js";
import { placeAgainMs, Starter, startMs } from "./starter.js";

const keptRecords = 1_000; // ended actors that `ps` still shows

/** Places, starts, restarts and stops actors. Lives on the node that holds the lease; its truth is in the directory. */
export class Coordinator implements CoordinatorProtocol {
  readonly #caller: Caller;
  readonly #directory: Directory;
  readonly #snapshots: Snapshots;
  readonly #bus: Bus;
  readonly #log: Logger;
  readonly #records: Records;
  readonly #budget = new RestartBudget();
  /** One transition of an actor at a time, one claim of a name. */
  readonly #lanes = new Lanes();
  readonly #ended = new AbortController();
  readonly #starter: Starter;
  readonly #gangs: Gangs;
  readonly #passives: Passives;

  /**
   * @param on.leads whether this is the coordinator still, by the store itself
   * @param on.patient what no node could hold waits for one to come
   * @param on.holds whether it surely is, for long enough to write
   */
  constructor(on: {
    caller: Caller;
    directory: Directory;
    snapshots: Snapshots;
    bus: Bus;
    log: Logger;
    leads(): Promise<boolean>;
    holds(): Promise<boolean>;
    patient?: boolean;
  }) {
    this.#caller = on.caller;
    this.#directory = on.directory;
    this.#snapshots = on.snapshots;
    this.#bus = on.bus;
    this.#log = on.log;
    this.#records = new Records(on);
    this.#starter = new Starter({ ...on, records: this.#records, ended: this.#ended.signal });
    const steps: Steps = {
      create: (wanted) => this.#create(wanted),
      launch: (record, until, seat) => this.#launch(record, until, seat),
      notStarted: (record, error) => this.#notStarted(record, error),
      stop: (id, reason) => this.stop(id, reason),
      inLane: (record, step) => this.#inLane(record, step),
    };
    const shared = { ...on, ...steps, records: this.#records, starter: this.#starter, ended: this.#ended.signal };
    this.#gangs = new Gangs(shared);
    this.#passives = new Passives(shared);
  }

  /** To look at. */
  get records(): Records {
    return this.#records;
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
      if (record.state === ActorState.PASSIVE) this.#passives.takeOver(record);
      else if (record.state === ActorState.RUNNING) void this.#inLane(record, () => this.#died(record, cause));
      else if (!isWaitingInGang(record)) void this.#inLane(record, () => this.#resume(record, lost));
    }
    this.#gangs.takeOver();
    for (const { record } of this.#directory.nodes.values())
      if (record.state !== NodeState.NODE_DEAD) void this.#audit(record.id);
  }

  /** It may have started: there, another start does nothing; elsewhere it is another incarnation. */
  async #resume(record: ActorRecord, lost: boolean): Promise<ActorRecord> {
    const until = Date.now() + startMs;
    if (record.state !== ActorState.STARTING) return this.#launch(record, until);
    if (!lost) return this.#launch(record, until, record);
    const change = { state: ActorState.RESTARTING, node: "", devices: [], epoch: record.epoch + 1 };
    return this.#launch(await this.#records.change(record.id as ActorId, change), until);
  }

  end(): void {
    this.#ended.abort();
  }

  async spawn(encoded: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const wanted = actors.v1.ActorRecord.decode(encoded);
    const record = await this.#asLeader(() => this.#spawn(wanted, Date.now() + timeoutMs));
    return actors.v1.ActorRecord.encode(record).finish();
  }

  async getOrSpawn(encoded: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const wanted = actors.v1.ActorRecord.decode(encoded);
    const record = await this.#asLeader(() => this.#getOrSpawn(wanted, Date.now() + timeoutMs));
    return actors.v1.ActorRecord.encode(record).finish();
  }

  async spawnGang(encoded: Uint8Array[], timeoutMs: number): Promise<Uint8Array[]> {
    const wanted = encoded.map((each) => actors.v1.ActorRecord.decode(each));
    const records = await this.#asLeader(() => this.#gangs.spawn(wanted, Date.now() + timeoutMs));
    return records.map((record) => actors.v1.ActorRecord.encode(record).finish());
  }

  async stop(id: string, reason: string): Promise<void> {
    const record = this.#records.get(id as ActorId);
    if (record) await this.#asLeader(() => this.#inLane(record, () => this.#stop(id as ActorId, reason)));
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

  async rest(id: string, epoch: number): Promise<{ refused: string | undefined }> {
    return { refused: await this.#asLeader(() => this.#passives.rest(id as ActorId, epoch)) };
  }

  wake(id: string): Promise<void> {
    return this.#asLeader(() => this.#passives.wake(id as ActorId));
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
    const lost = this.#records.live().filter((r) => r.node === node && r.state !== ActorState.PASSIVE);
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
    const children = this.#records.childrenOf(owner);
    await Promise.allSettled(children.map((r) => this.stop(r.id, why)));
  }

  owners(): string[] {
    return this.#records.owners();
  }

  #spawn(wanted: ActorRecord, until: number): Promise<ActorRecord> {
    return this.#inLane(wanted, async () => {
      const known = this.#records.get(wanted.id as ActorId);
      if (known && hasStarted(known)) return known; // the same request, sent again
      if (known && hasEnded(known)) throw gone(known);
      if (known) return this.#launch(known, until);
      // Where there is room its first record says where it starts: one write less.
      const seat = this.#starter.seatNow(wanted);
      try {
        return await this.#launch(await this.#create(wanted, seat), until, seat, seat !== undefined);
      } finally {
        this.#starter.release([wanted]);
      }
    });
  }

  /** Whoever asks while the name's actor starts, restarts or stops waits for how that ends. */
  async #getOrSpawn(wanted: ActorRecord, until: number): Promise<ActorRecord> {
    for (;;) {
      await this.#idle(nameLane(wanted), until, `the claim of ${wanted.name}`);
      const holder = this.#records.named(wanted.name);
      if (holder && holder.def !== wanted.def) {
        throw new ActorsError("NAME_TAKEN", `${wanted.name} is a ${holder.def}, not a ${wanted.def}`, {
          hint: "Use another name, or the definition it was spawned with.",
        });
      }
      try {
        if (!holder) return await this.#spawn(wanted, until);
      } catch (error) {
        if (isActorsError(error, "NAME_TAKEN")) continue; // another asked for it just before
        throw error;
      }
      await this.#idle(holder.id, until, `the start of ${label(holder)}`);
      const now = this.#records.get(holder.id as ActorId);
      if (now && hasStarted(now)) return now; // a passive one starts when it is called
      if (now && !hasEnded(now)) await pause(placeAgainMs, this.#ended.signal); // between two steps
    }
  }

  async #idle(lane: string, until: number, what: string): Promise<void> {
    const left = until - Date.now();
    if (left <= 0 || this.#ended.signal.aborted) throw new ActorsError("DEADLINE_EXCEEDED", `${what} took too long`);
    await withDeadline(this.#lanes.idle(lane), left, what);
  }

  /** In the name's lane, for the name is claimed before the record that holds it is there. */
  #create(wanted: ActorRecord, seat?: Seat): Promise<ActorRecord> {
    const state = seat ? ActorState.STARTING : ActorState.PENDING;
    const record = new actors.v1.ActorRecord({ ...wanted, ...seat, epoch: 1, state });
    if (!wanted.name) return this.#records.create(record);
    return this.#lanes.run(nameLane(wanted), async () => {
      if (await this.#records.claim(wanted.name, wanted.id as ActorId)) return this.#records.create(record);
      throw new ActorsError("NAME_TAKEN", `an actor named ${wanted.name} is already running`, {
        hint: "Use system.getOrSpawn or system.lookup to reach it, or another name.",
      });
    });
  }

  /** Starts the actor, or keeps in its record why it cannot be. */
  async #launch(record: ActorRecord, until: number, seat?: Seat, seated?: boolean): Promise<ActorRecord> {
    if (hasEnded(record)) throw gone(record);
    try {
      return await this.#starter.start(record, until, seat, seated);
    } catch (error) {
      if (await this.#passives.layBack(record)) throw error;
      const hasRun = record.restarts > 0 || record.rested !== 0;
      const broke = isActorsError(error, "START_FAILED") || isActorsError(error, "ACTOR_DIED");
      if (!hasRun || !broke || this.#ended.signal.aborted) return this.#notStarted(record, error);
      const last = this.#records.get(record.id as ActorId) ?? record;
      return this.#died(last, error); // a start that fails is one more death: its state is worth another try
    }
  }

  async #notStarted(record: ActorRecord, error: unknown): Promise<never> {
    if (this.#ended.signal.aborted) throw error;
    const failure = ActorsError.from(error);
    const why = failure.rawMessage;
    await this.#fail(record, failure, why.includes(label(record)) ? why : `${label(record)} did not start: ${why}`);
    throw error;
  }

  /** An incarnation ended by itself: restart by its policy, or give up. Its children end with it. */
  async #died(record: ActorRecord, cause: ActorsError): Promise<ActorRecord> {
    const id = record.id as ActorId;
    const started = performance.now();
    const delay = this.#budget.next(id, record.restart);
    await this.orphan(id, `its parent ${label(record)} died`);
    if (delay === undefined) {
      const text = `${label(record)} died (${cause.rawMessage}) and is not restarted: its policy allows no more restarts`;
      await this.#fail(record, cause, text);
      throw cause;
    }
    const waiting = await this.#records.change(id, {
      ...withCrash(record, cause),
      state: ActorState.RESTARTING,
      rested: 0,
      epoch: record.epoch + 1,
      restarts: record.restarts + 1,
      node: "",
      devices: [],
      endpoint: "",
      pid: 0,
    });
    emit(this.#bus, "actor-died", id, `${label(record)} died on ${record.node} (${cause.rawMessage}); restarting it`);
    await pause(delay, this.#ended.signal);
    const running = await this.#launch(waiting, Date.now() + startMs);
    if (running.epoch !== waiting.epoch) return running; // it died again on its way, and that was told
    const ms = Math.round(performance.now() - started);
    emit(
      this.#bus,
      "actor-restarted",
      id,
      `${label(record)} runs again on ${running.node} as incarnation ${running.epoch}, after ${ms} ms`,
    );
    return running;
  }

  /** It will not be started again. */
  async #fail(record: ActorRecord, cause: ActorsError, text: string): Promise<void> {
    const id = record.id as ActorId;
    const last = this.#records.get(id) ?? record;
    const ended = { state: ActorState.FAILED, endpoint: "", pid: 0, waiting: "" };
    await this.#records.change(id, { ...withCrash(last, cause), ...ended });
    emit(this.#bus, "actor-failed", id, text);
    const ran = last.state === ActorState.RUNNING || last.restarts > 0; // else whoever spawned it is told by that
    if (ran && last.restart?.escalate) this.#escalate(last, cause);
    await this.#forget(last);
  }

  /** Ends the parent's incarnation with its child's failure. A parent that is a client only hears the event. */
  #escalate(child: ActorRecord, cause: ActorsError): void {
    const parent = this.#records.get(child.parent as ActorId);
    if (!parent) return;
    void this.#inLane(parent, async () => {
      const now = this.#records.get(parent.id as ActorId);
      if (now?.epoch !== parent.epoch || now.state !== ActorState.RUNNING) return; // it ended for another reason
      const failure = new ActorsError("ACTOR_DIED", `its child ${label(child)} failed for good: ${cause.rawMessage}`, {
        cause,
      });
      await this.#halt(now, failure.rawMessage);
      await this.#died(now, failure);
    });
  }

  async #stop(id: ActorId, reason: string): Promise<void> {
    const record = this.#records.get(id);
    if (!record || hasEnded(record)) return;
    await this.orphan(id, `its parent ${label(record)} was stopped`);
    await this.#halt(record, reason);
    await this.#records.change(id, { state: ActorState.STOPPED, endpoint: "", pid: 0, waiting: "" });
    emit(this.#bus, "actor-stopped", id, `${label(record)} stopped: ${reason}`);
    await this.#forget(record);
  }

  /** Has its node end it in good order. */
  async #halt({ id, node, epoch }: ActorRecord, reason: string): Promise<void> {
    const state = this.#directory.nodes.get(node)?.record.state;
    if (!node || state === NodeState.NODE_DEAD) return;
    const stop = agentHandle(this.#caller, node).stop.with({ timeoutMs: 15_000 });
    await stop(id, epoch, reason).catch((err: unknown) =>
      this.#log.warn({ err, actor: id }, "could not be stopped in time"),
    );
  }

  /** What an ended actor leaves: its state at once, its record later. */
  async #forget(ended: ActorRecord): Promise<void> {
    const drop = ended.keepsState ? this.#snapshots.remove(ended.id as ActorId) : Promise.resolve();
    await drop.catch((err: unknown) => this.#log.warn({ err, actor: ended.id }, "its kept state could not be removed"));
    await this.#records.trim(keptRecords);
  }

  /** Compares what a node hosts with what the records say it does. */
  async #audit(node: string): Promise<void> {
    const hosted = await agentHandle(this.#caller, node)
      .hosted.with({ timeoutMs: 5_000 })()
      .catch(() => undefined);
    if (!hosted || this.#ended.signal.aborted) return;
    const epochs = new Map(hosted.map(({ id, epoch }) => [id, epoch]));
    for (const record of this.#records.live()) {
      if (record.node !== node || record.state !== ActorState.RUNNING) continue;
      if (epochs.get(record.id) === record.epoch) continue;
      const cause = new ActorsError("ACTOR_DIED", `node ${node} no longer hosts it`);
      void this.#inLane(record, async () => {
        if (this.#records.get(record.id as ActorId)?.epoch === record.epoch) await this.#died(record, cause);
      });
    }
  }

  #inLane<T>(record: { id: string }, step: () => Promise<T>): Promise<T> {
    const done = this.#lanes.run(record.id, step);
    done.catch((err: unknown) => this.#log.debug({ err, actor: record.id }, "transition failed"));
    return done;
  }

  /** What fails because the lease is lost is answered so that the caller asks the one who holds it now. */
  async #asLeader<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw this.#ended.signal.aborted ? new ActorsError("NOT_HERE", "another node coordinates now") : error;
    }
  }
}

const nameLane = ({ name }: ActorRecord) => `name.${name}`;

function describe(lost: ActorRecord[]): string {
  if (lost.length === 0) return "it hosted no actor";
  return `restarting ${lost.map(label).join(", ")} on other nodes`;
}
