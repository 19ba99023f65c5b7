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
export const coordinatorMethods = ["spawn", "getOrSpawn", "spawnGang", "stop", "exited", "nodeGone"] as const;
export const agentMethods = ["start", "stop", "hosted", "bundles", "removeBundle"] as const;

const marks = (names: readonly string[]) => names.map((name) => `${name}!`);

export function coordinatorHandle(caller: Caller): Handle<CoordinatorProtocol> {
  const methods = marks(coordinatorMethods);
  return reviveHandle(caller, { id: coordinatorId, def: "$coordinator", methods }) as Handle<CoordinatorProtocol>;
}

export function agentHandle(caller: Caller, node: string): Handle<AgentProtocol> {
  const methods = marks(agentMethods);
  return reviveHandle(caller, { id: agentId(node), def: "$agent", methods }) as Handle<AgentProtocol>;
}

export const heartbeatTopic = "hb";
export const eventTopic = "events";
export const heartbeatMs = 250;
/** Silence after which a node, or the coordinator, counts as lost. */
export const leaseMs = 3000;
