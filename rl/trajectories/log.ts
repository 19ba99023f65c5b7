import type { ActorSystem } from "../../runtime/index.js";
import { JetStreamLog } from "./jetstream.js";
import { MemoryLog } from "./memory.js";

/** One trajectory as it arrived. It comes again until it is acknowledged, also after a restart of the server. */
export interface Delivery {
  bytes: Uint8Array;
  /** The step that used it is committed: it need not come again. Never throws; a lost acknowledgement means a duplicate. */
  ack(): void;
}

/** The way of finished episodes from the rollout actors to the trainer: durable, at least once, in no particular order. */
export interface TrajectoryLog {
  /**
   * Resolves once it is stored. A key that this log published before counts once.
   * @throws ActorsError DEADLINE_EXCEEDED when the server is away for longer than `timeoutMs`
   */
  publish(key: string, bytes: Uint8Array, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>;
  /** Until the signal aborts. `onTrouble` is told once each time the way is lost, and once when it is back. */
  consume(signal: AbortSignal, onTrouble: (text: string) => void): AsyncGenerator<Delivery, void, undefined>;
  /** Deletes what is stored: the run is over. */
  remove(): Promise<void>;
}

/** The log of a run: in JetStream on a cluster, in memory where everything lives in one process. */
export function openTrajectoryLog(system: ActorSystem, run: string): TrajectoryLog {
  return hasJetStream(system) ? new JetStreamLog(system, run) : MemoryLog.of(`${system.cluster.id}/${run}`);
}

function hasJetStream(system: ActorSystem): boolean {
  return system.cluster.stateDir !== ""; // an in-process system has no folder and no server
}
