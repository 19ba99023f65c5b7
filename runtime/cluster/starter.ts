import { actors } from "#protos";
import { bundleOf, installMs } from "../bundles/names.js";
import { ActorsError, isActorsError } from "../core/errors.js";
import type { Caller } from "../core/handle.js";
import type { ActorId } from "../core/ids.js";
import { pause } from "../core/wait.js";
import { type ActorRecord, ActorState, type Directory, hasEnded, label, NodeState } from "../directory/directory.js";
import type { Seat } from "./loads.js";
import { type Candidate, compete, place, Strategy, shortage, type Wish } from "./placement.js";
import { agentHandle } from "./protocol.js";
import type { Records } from "./records.js";
import { withCrash } from "./restarts.js";

/** A start has so long in all, with every node it is tried on. */
export const startMs = 65_000;
export const placeAgainMs = 100;
const viewLagMs = 300; // our copy of the directory may not show yet a node that has just joined
const sayWhyMs = 500;
const cameFirst = " waits for the same and came first";

/** Finds actors a node and starts them there. */
export class Starter {
  readonly #caller: Caller;
  readonly #directory: Directory;
  readonly #records: Records;
  readonly #ended: AbortSignal;
  readonly #patient: boolean;
  /** What waits for room, in the order it came: nothing overtakes what asks for the same kind of resource. */
  readonly #waiting: (readonly Wish[])[] = [];

  /** @param on.patient what no node could hold waits too: nodes come when there is demand */
  constructor(on: { caller: Caller; directory: Directory; records: Records; ended: AbortSignal; patient?: boolean }) {
    this.#patient = on.patient === true;
    this.#caller = on.caller;
    this.#directory = on.directory;
    this.#records = on.records;
    this.#ended = on.ended;
  }

  /**
   * Tries elsewhere when a node is lost meanwhile.
   * @param seat where to start it first; without one it is placed
   * @param seated its record says so already
   * @returns the record of the running actor
   * @throws ActorsError INFEASIBLE, START_FAILED, ACTOR_DIED (too often), DEADLINE_EXCEEDED
   */
  async start(record: ActorRecord, until: number, seat?: Seat, seated = false): Promise<ActorRecord> {
    const id = record.id as ActorId;
    let now = record;
    let at = seat;
    let written = seated;
    try {
      for (let deaths = 0; ; ) {
        const { node, devices } = at ?? (await this.#seat(now, until));
        at = undefined;
        const { epoch } = now;
        if (!written)
          now = await this.#records.change(id, { state: ActorState.STARTING, node, devices, epoch, waiting: "" });
        written = false;
        try {
          const timeoutMs = bundleOf(now.module) === undefined ? startMs : startMs + installMs;
          const start = agentHandle(this.#caller, node).start.with({ timeoutMs });
          const { endpoint, pid } = await start(actors.v1.ActorRecord.encode(now).finish());
          const host = this.#directory.nodes.get(node)?.record.host ?? "";
          return await this.#records.change(id, { state: ActorState.RUNNING, endpoint, pid, host });
        } catch (error) {
          const lost =
            isActorsError(error) &&
            (error.code === "UNAVAILABLE" || error.code === "ACTOR_DIED" || error.code === "DEADLINE_EXCEEDED");
          if (!lost || this.#ended.aborted || Date.now() > until) throw error;
          if (error.code === "ACTOR_DIED" && ++deaths > (now.restart?.max ?? 0)) throw error;
          // A copy may have started there after all: the next attempt is another incarnation.
          this.#records.release(id);
          now = await this.#records.change(id, {
            ...withCrash(now, error),
            state: ActorState.RESTARTING,
            node: "",
            devices: [],
            epoch: epoch + 1,
          });
          await pause(placeAgainMs, this.#ended);
        }
      }
    } finally {
      this.#records.release(id);
    }
  }

  /**
   * Seats for actors that start together, all or none; they stay theirs until each was started or `release`d.
   * @throws ActorsError INFEASIBLE, DEADLINE_EXCEEDED
   */
  async seats(records: readonly ActorRecord[], until: number): Promise<Seat[]> {
    const wishes = records.map(wishOf);
    const since = Date.now();
    // A restart goes first: it only takes back what it had.
    if (records.some((record) => record.epoch > 1)) this.#waiting.unshift(wishes);
    else this.#waiting.push(wishes);
    try {
      for (;;) {
        const ahead = this.#ahead(wishes);
        const sure = !this.#patient && Date.now() > since + viewLagMs;
        const seats = ahead ? undefined : this.#take(records, wishes, sure);
        if (seats) return seats;
        const why = ahead ? ahead.what + cameFirst : this.#shortage(wishes);
        if (Date.now() > until || this.#ended.aborted) {
          throw new ActorsError("DEADLINE_EXCEEDED", `no room for ${wishes[0]!.what}: ${why}`, {
            hint: "Stop something, or add a node.",
          });
        }
        if (Date.now() > since + sayWhyMs) await this.#sayWhy(records, why);
        await pause(placeAgainMs, this.#ended);
      }
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(wishes), 1);
    }
  }

  /** A seat that is free for it now and that nobody waits for; it stays its own until it was started or `release`d. */
  seatNow(record: ActorRecord): Seat | undefined {
    const wishes = [wishOf(record)];
    return this.#ahead(wishes) ? undefined : this.#take([record], wishes, false)?.[0];
  }

  release(records: readonly ActorRecord[]): void {
    for (const { id } of records) this.#records.release(id as ActorId);
  }

  async #seat(record: ActorRecord, until: number): Promise<Seat> {
    // All of a strictly packed gang may have to move: to where all have room.
    const packed = record.placement?.strategy === Strategy.STRICT_PACK;
    const homeless = ({ id, placement, node, state }: ActorRecord) =>
      id !== record.id &&
      placement?.gang === record.placement?.gang &&
      node === "" &&
      state !== ActorState.PASSIVE &&
      !this.#records.isChosen(id as ActorId);
    const others = packed ? this.#records.live().filter(homeless) : [];
    const [own] = await this.seats([record, ...others], until);
    this.release(others);
    return own!;
  }

  #take(records: readonly ActorRecord[], wishes: readonly Wish[], sure: boolean): Seat[] | undefined {
    const ids = wishes.map(({ id }) => id);
    const seats = this.#records.without(ids, () => attempt(wishes, this.#candidates(), sure));
    for (const [i, seat] of seats?.entries() ?? []) this.#records.choose(records[i]!, seat);
    return seats;
  }

  #shortage(wishes: readonly Wish[]): string {
    const ids = wishes.map(({ id }) => id);
    return this.#records.without(ids, () => shortage(wishes, this.#candidates()));
  }

  /** What asks for the same and came before. */
  #ahead(wishes: readonly Wish[]): Wish | undefined {
    for (const before of this.#waiting) {
      if (before === wishes) return undefined;
      const rival = before.find((wish) => compete(wish, wishes[0]!));
      if (rival) return rival;
    }
    return undefined;
  }

  /** For `actors ps --why`. Who came first changes with each start: that is not written anew for all that wait. */
  async #sayWhy(records: readonly ActorRecord[], waiting: string): Promise<void> {
    for (const { id } of records) {
      const now = this.#records.get(id as ActorId);
      if (!now || hasEnded(now) || now.waiting === waiting) continue;
      if (waiting.endsWith(cameFirst) && now.waiting.endsWith(cameFirst)) continue;
      await this.#records.change(id as ActorId, { waiting });
    }
  }

  #candidates(): Candidate[] {
    return [...this.#directory.nodes.values()]
      .filter(({ record }) => record.state !== NodeState.NODE_DRAINING)
      .sort((a, b) => a.record.slot - b.record.slot)
      .map(({ record }) => ({
        away: record.state === NodeState.NODE_DEAD,
        id: record.id,
        slot: record.slot,
        host: record.host,
        labels: record.labels,
        capacity: record.capacity ?? {},
        devices: record.devices,
        used: this.#records.load(record.id),
      }));
  }
}

function wishOf(record: ActorRecord): Wish {
  const { gang, strategy, labels, near, away } = new actors.v1.Placement(record.placement ?? {});
  const { id, wantNode: node } = record;
  return { id, what: label(record), needs: record.needs ?? {}, node, labels, gang, strategy, near, away };
}

/** @param sure whether what no node has is worth an error by now */
function attempt(wishes: readonly Wish[], nodes: readonly Candidate[], sure: boolean): Seat[] | undefined {
  try {
    return place(wishes, nodes);
  } catch (error) {
    if (sure) throw error;
    return undefined;
  }
}
