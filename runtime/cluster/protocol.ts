// What system, coordinator and agents say to each other: ordinary calls to two control actors.
import type { Installed } from "../bundles/cache.js";
import type { Caller, Handle } from "../core/handle.js";
import { reviveHandle } from "../core/handle.js";
import { agentId, coordinatorId } from "../core/ids.js";

/** Control actor on the endpoint that holds the lease. Every method may be sent twice. */
export interface CoordinatorProtocol {
  /**
   * Places and starts one actor and answers its record once it runs.
   * @param record an encoded ActorRecord with id, def, module, args and wishes
   */
  spawn(record: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** The same, unless a live actor has the record's name: then that one's record. */
  getOrSpawn(record: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Actors that start together or not at all: encoded records that share `placement.gang`. */
  spawnGang(records: Uint8Array[], timeoutMs: number): Promise<Uint8Array[]>;
  stop(id: string, reason: string): Promise<void>;
  /** An agent tells that an incarnation ended by itself. `failure` is an encoded Failure. */
  exited(id: string, epoch: number, failure: Uint8Array): Promise<void>;
  /**
   * An incarnation that takes no calls for now and has kept its state asks to become passive.
   * @returns whether it does, and will be stopped; else it serves on, for this reason
   */
  rest(id: string, epoch: number): Promise<{ refused: string | undefined }>;
  /**
   * Starts an actor again that is passive; answers once it runs. Of one that is not passive it does nothing.
   * @throws ActorsError INFEASIBLE, DEADLINE_EXCEEDED (no room), START_FAILED
   */
  wake(id: string): Promise<void>;
  /** Someone saw the agent's process end, sooner than its lease would tell. */
  nodeGone(node: string, reason: string): Promise<void>;
}

/** Control actor on each node agent. */
export interface AgentProtocol {
  start(record: Uint8Array): Promise<{ endpoint: string; pid: number }>;
  stop(id: string, epoch: number, reason: string): Promise<void>;
  hosted(): Promise<{ id: string; epoch: number }[]>;
  /** The job bundles in the cache of its machine and user. */
  bundles(): Promise<Installed[]>;
  /** @returns false when it is not there. @throws ActorsError UNAVAILABLE while it is in use */
  removeBundle(hash: string): Promise<boolean>;
}

/** All may be sent again, and run side by side. */
export const coordinatorMethods = [
  "spawn",
  "getOrSpawn",
  "spawnGang",
  "stop",
  "exited",
  "rest",
  "wake",
  "nodeGone",
] as const;
export const agentMethods = ["start", "stop", "hosted", "bundles", "removeBundle"] as const;

const marks = (names: readonly string[]) => names.map((name) => `${name}!&`);

export function coordinatorHandle(caller: Caller): Handle<CoordinatorProtocol> {
  const methods = marks(coordinatorMethods);
  return reviveHandle(caller, { id: coordinatorId, def: "$coordinator", methods }) as Handle<CoordinatorProtocol>;
}

export function agentHandle(caller: Caller, node: string): Handle<AgentProtocol> {
  const methods = marks(agentMethods);
  return reviveHandle(caller, { id: agentId(node), def: "$agent", methods }) as Handle<AgentProtocol>;
}

/** Of nodes, and of whoever started them: only control may publish there. */
export const heartbeatTopic = "hb";
/** Where clients say that they live. */
export const clientTopic = "clients";
export const eventTopic = "events";
export const heartbeatMs = 150;
/** A node runs actors only so long after the newest of its heartbeats that came back was sent; then it ends itself. */
export const fenceMs = 1_400;
/** After so long the kernel has killed what of a node was too busy, or stopped, to end itself. */
export const killMs = 1_500;
/** Silence after which a node is declared dead; longer than `killMs`, so that nothing of it runs any more. */
export const leaseMs = 1_600;
/** An event loop that is held for so long is worth a warning. */
export const heldWarnMs = 1_000;
/** A node whose event loop is held for so long is ended: it beats, but nothing on it answers. */
export const heldMs = 10_000;
/** Stillness after which the coordinator's lease counts as free. */
export const coordinatorLeaseMs = 3_000;
