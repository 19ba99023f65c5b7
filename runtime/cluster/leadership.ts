import { Cell } from "../core/cell.js";
import { defineActor } from "../core/definition.js";
import { coordinatorId, isActorId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import { type Directory, NodeState } from "../directory/directory.js";
import { mayAskCoordinator } from "./access.js";
import type { AutoscaleHook } from "./autoscale-hook.js";
import { Autoscaler } from "./autoscaler.js";
import { Coordinator } from "./coordinator.js";
import { Election, leaseHolder } from "./election.js";
import { emit } from "./events.js";
import { coordinatorMethods, leaseMs } from "./protocol.js";
import type { Watchman } from "./quorum.js";

const reachMs = 1_500;
const ownerLeaseMs = 15_000; // a client that has been silent for so long is gone, and what it spawned with it

const coordinatorDef = defineActor({
  name: "$coordinator",
  module: import.meta.url,
  class: Coordinator as unknown as new () => Coordinator,
  idempotent: coordinatorMethods,
  shared: coordinatorMethods,
});

const rest = coordinatorDef.methods.get("rest")!;

/**
 * Makes this agent a candidate; while it holds the lease, the coordinator runs here.
 * @param vigil by which it finds out who died; without it nobody does
 * @param hook called by whoever coordinates with the demand that is not met
 */
export function stand(
  runtime: Runtime & { directory: Directory },
  vigil?: Watchman,
  hook?: AutoscaleHook | undefined,
): Election {
  const { endpoint, directory, bus, log, node } = runtime;
  let coordinator: Coordinator | undefined;
  let stopWatching = () => {};
  let autoscaler: Autoscaler | undefined;
  const election = new Election({
    directory,
    bus,
    endpoint: endpoint.id,
    node,
    log,
    lost: (holder) => vigil !== undefined && vigil.silence(holder) >= leaseMs,
    async onLead(term, revision) {
      await directory.reach(revision, reachMs); // all that the one before wrote
      if (!election.leading) return;
      const leads = async () => (await leaseHolder(directory)) === endpoint.id;
      const holds = () => election.holds();
      coordinator = new Coordinator({
        caller: endpoint.calls,
        directory,
        snapshots: runtime.snapshots,
        bus,
        log,
        leads,
        holds,
        patient: hook !== undefined,
      });
      const cell = new Cell({ id: coordinatorId, epoch: term, def: coordinatorDef as never }, coordinator, () => {});
      cell.guard = (call) => mayAskCoordinator(call, directory, rest);
      endpoint.server.host(cell);
      if (hook) autoscaler = new Autoscaler({ directory, records: coordinator.records, hook, log });
      if (vigil) stopWatching = judge(directory, vigil, coordinator);
      if (term > 1) emit(bus, "coordinator", node, `node ${node} coordinates now (term ${term})`);
      await coordinator.takeOver();
    },
    onLose() {
      stopWatching();
      autoscaler?.close();
      coordinator?.end();
      endpoint.server.unhost(coordinatorId);
    },
  });
  return election;
}

/** Declares silent nodes dead and stops what silent clients have spawned. */
function judge(directory: Directory, vigil: Watchman, coordinator: Coordinator): () => void {
  return vigil.onProof(() => {
    for (const { record } of directory.nodes.values()) {
      if (record.state === NodeState.NODE_DEAD || vigil.silence(record.endpoint) < leaseMs) continue;
      void coordinator.nodeGone(record.id, `no heartbeat for ${leaseMs} ms`).catch(() => {});
    }
    for (const owner of coordinator.owners()) {
      if (owner === "" || isActorId(owner) || vigil.clientSilence(owner) < ownerLeaseMs) continue;
      void coordinator.orphan(owner, "the client that spawned it is gone");
    }
  });
}
