import type { Caller } from "../core/handle.js";
import type { ActorId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import { pause } from "../core/wait.js";
import { type ActorRecord, ActorState, type Directory, label, NodeState } from "../directory/directory.js";
import type { Bus } from "../transport/bus.js";
import { emit } from "./events.js";
import { agentHandle } from "./protocol.js";
import type { Records } from "./records.js";
import { placeAgainMs } from "./starter.js";

const wakeMs = 30_000;
const stopMs = 15_000;

interface On {
  caller: Caller;
  directory: Directory;
  records: Records;
  bus: Bus;
  log: Logger;
  ended: AbortSignal;
  launch(record: ActorRecord, until: number): Promise<ActorRecord>;
  inLane<T>(record: ActorRecord, step: () => Promise<T>): Promise<T>;
}

/** Lays actors without calls down, and wakes them. All in the actor's lane, so that a wake comes after the end before it. */
export class Passives {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  /** @returns why it stays active; undefined once the directory says that it is passive */
  rest(id: ActorId, epoch: number): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const record = this.#on.records.get(id);
      if (!record) return resolve("there is no such actor");
      const step = async () => {
        const now = this.#on.records.get(id) ?? record;
        const refused = this.#refusal(now, epoch);
        if (refused !== undefined || now.state === ActorState.PASSIVE) return resolve(refused);
        const laid = await this.#on.records.change(id, { state: ActorState.PASSIVE, rested: epoch });
        resolve(undefined);
        await this.#end(laid);
      };
      this.#on.inLane(record, step).catch(reject);
    });
  }

  /** Does nothing when it is not passive. */
  async wake(id: ActorId): Promise<void> {
    const { records, launch, inLane, bus } = this.#on;
    const known = records.get(id);
    if (!known) return;
    await inLane(known, async () => {
      const record = records.get(id);
      if (record?.state !== ActorState.PASSIVE) return; // by another call, or it has ended
      const began = performance.now();
      const waking = await records.change(id, { state: ActorState.RESTARTING, epoch: record.epoch + 1 });
      const { node, epoch } = await launch(waking, Date.now() + wakeMs);
      const ms = Math.round(performance.now() - began);
      emit(bus, "actor-woken", id, `${label(record)} runs on ${node} as incarnation ${epoch}, after ${ms} ms`);
    });
  }

  /** One that found no room on its way back stays passive, with its state. @returns whether it is so */
  async layBack({ id, rested }: ActorRecord): Promise<boolean> {
    const untried = this.#on.records.get(id as ActorId)?.state === ActorState.RESTARTING;
    if (rested === 0 || !untried || this.#on.ended.aborted) return false;
    await this.#on.records.change(id as ActorId, { state: ActorState.PASSIVE, node: "", waiting: "" });
    return true;
  }

  /** Ends what the coordinator before did not. */
  takeOver(record: ActorRecord): void {
    if (record.node !== "") void this.#on.inLane(record, () => this.#end(record));
  }

  #refusal(now: ActorRecord, epoch: number): string | undefined {
    if (now.epoch !== epoch) return `incarnation ${now.epoch} lives`;
    if (now.state === ActorState.PASSIVE) return undefined; // asked again
    if (now.state !== ActorState.RUNNING) return `it is ${ActorState[now.state]!.toLowerCase()}`;
    const active = this.#on.records.childrenOf(now.id).find((r) => r.state !== ActorState.PASSIVE);
    return active && `its child ${label(active)} is active`;
  }

  /** Has its node end the instance; what it took is free then. */
  async #end(record: ActorRecord): Promise<void> {
    const { caller, records, bus, log, ended } = this.#on;
    const { id, node, epoch } = record;
    const reason = `it had no call for ${record.passivateAfterMs} ms`;
    const stop = agentHandle(caller, node).stop.with({ timeoutMs: stopMs });
    while (!ended.aborted && this.#isUp(node)) {
      const stopped = await stop(id, epoch, reason).then(
        () => true,
        (err: unknown) => log.warn({ err, actor: id }, "the instance of a passive actor could not be ended in time"),
      );
      if (stopped) break;
      await pause(placeAgainMs, ended);
    }
    if (ended.aborted) return; // who coordinates now does it
    await records.change(id as ActorId, { node: "", devices: [], pid: 0 });
    emit(bus, "actor-passivated", id, `${label(record)} is passive: ${reason}`);
  }

  #isUp(node: string): boolean {
    const state = this.#on.directory.nodes.get(node)?.record.state;
    return state !== undefined && state !== NodeState.NODE_DEAD;
  }
}
