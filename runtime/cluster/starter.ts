import { actors } from "#protos";
import { ActorsError, isActorsError } from "../core/errors.js";
import type { Caller } from "../core/handle.js";
import type { ActorId } from "../core/ids.js";
import { pause } from "../core/wait.js";
import { type ActorRecord, ActorState, type Directory, label, NodeState } from "../directory/directory.js";
import { type Candidate, place, shortage } from "./placement.js";
import { agentHandle } from "./protocol.js";
import type { Records } from "./records.js";
import { withCrash } from "./restarts.js";

/** A start has so long in all, with every node it is tried on. */
export const startMs = 65_000;
export const placeAgainMs = 100;
const viewLagMs = 300; // our copy of the directory may not show yet a node that has just joined

/** Finds actors a node and starts them there. */
export class Starter {
  readonly #caller: Caller;
  readonly #directory: Directory;
  readonly #records: Records;
  readonly #ended: AbortSignal;
  /** Nodes chosen but not yet written, so that placements made side by side see each other. */
  readonly #chosen = new Map<string, string>();

  constructor(on: { caller: Caller; directory: Directory; records: Records; ended: AbortSignal }) {
    this.#caller = on.caller;
    this.#directory = on.directory;
    this.#records = on.records;
    this.#ended = on.ended;
  }

  /**
   * Tries elsewhere when a node is lost meanwhile.
   * @returns the record of the running actor
   * @throws ActorsError INFEASIBLE, START_FAILED, ACTOR_DIED (too often), DEADLINE_EXCEEDED
   */
  async start(record: ActorRecord, until: number): Promise<ActorRecord> {
    const id = record.id as ActorId;
    let now = record;
    try {
      for (let deaths = 0; ; ) {
        const node = await this.#place(now, until);
        const { epoch } = now;
        now = await this.#records.change(id, { state: ActorState.STARTING, node, epoch });
        try {
          const start = agentHandle(this.#caller, node).start.with({ timeoutMs: startMs });
          const at = await start(actors.v1.ActorRecord.encode(now).finish());
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
          if (!lost || this.#ended.aborted || Date.now() > until) throw error;
          if (error.code === "ACTOR_DIED" && ++deaths > (now.restart?.max ?? 0)) throw error;
          // A copy may have started there after all: the next attempt is another incarnation.
          now = await this.#records.change(id, {
            ...withCrash(now, error),
            state: ActorState.RESTARTING,
            node: "",
            epoch: epoch + 1,
          });
          await pause(placeAgainMs, this.#ended);
        }
      }
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
      if (Date.now() > until || this.#ended.aborted) {
        throw new ActorsError("DEADLINE_EXCEEDED", `no room for ${wish.what}: ${shortage(wish, nodes)}`, {
          hint: "Stop something, or add a node.",
        });
      }
      await pause(placeAgainMs, this.#ended);
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
}

function placeIfFeasible(...[wish, nodes]: Parameters<typeof place>): string | undefined {
  try {
    return place(wish, nodes);
  } catch {
    return undefined;
  }
}
