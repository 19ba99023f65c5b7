import { Cell } from "../core/cell.js";
import { defineActor } from "../core/definition.js";
import { coordinatorId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import { type Directory, NodeState } from "../directory/directory.js";
import { Coordinator } from "./coordinator.js";
import { Election, leaseHolder } from "./election.js";
import { emit } from "./events.js";
import { coordinatorMethods, heartbeatTopic, leaseMs } from "./protocol.js";

const sweepMs = 250;
const ownerLeaseMs = 15_000; // a client that has been silent for so long is gone, and what it spawned with it

const coordinatorDef = defineActor({
  name: "$coordinator",
  module: import.meta.url,
  class: Coordinator as unknown as new () => Coordinator,
  idempotent: coordinatorMethods,
  shared: coordinatorMethods,
});

/** Makes this agent a candidate; while it holds the lease, the coordinator and its failure detector run here. */
export function stand(runtime: Runtime & { directory: Directory }, watchNodes: boolean): Election {
  const { endpoint, directory, bus, log, node } = runtime;
  let coordinator: Coordinator | undefined;
  let stopWatching = () => {};
  const election = new Election({
    directory,
    bus,
    endpoint: endpoint.id,
    node,
    log,
    async onLead(term, revision) {
      await directory.reach(revision, leaseMs / 2); // all that the one before wrote
      if (!election.leading) return;
      const leads = async () => (await leaseHolder(directory)) === endpoint.id;
      coordinator = new Coordinator({
        caller: endpoint.calls,
        directory,
        snapshots: runtime.snapshots,
        bus,
        log,
        leads,
      });
      endpoint.server.host(
        new Cell({ id: coordinatorId, epoch: term, def: coordinatorDef as never }, coordinator, () => {}),
      );
      if (watchNodes) stopWatching = watchHeartbeats(runtime, coordinator);
      if (term > 1) emit(bus, "coordinator", node, `node ${node} coordinates now (term ${term})`);
      await coordinator.takeOver();
    },
    onLose() {
      stopWatching();
      coordinator?.end();
      endpoint.server.unhost(coordinatorId);
    },
  });
  return election;
}

/** Declares silent nodes dead and stops what silent clients have spawned. A silence of ours does not count. */
function watchHeartbeats(runtime: Runtime & { directory: Directory }, coordinator: Coordinator): () => void {
  const { bus, directory } = runtime;
  const heard = new Map<string, number>();
  const started = performance.now();
  const unsubscribe = bus.subscribe(heartbeatTopic, (bytes) => {
    heard.set(new TextDecoder().decode(bytes), performance.now());
  });
  let swept = started;
  let awakeSince = started;
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - swept > leaseMs / 2) awakeSince = now; // this process was stopped or starved: others get their time again
    swept = now;
    if (!bus.connected) return;
    const silence = (endpoint: string) => now - Math.max(heard.get(endpoint) ?? 0, awakeSince, bus.connectedSince);
    for (const { record } of directory.nodes.values()) {
      if (record.state === NodeState.NODE_DEAD || silence(record.endpoint) < leaseMs) continue;
      void coordinator.nodeGone(record.id, `no heartbeat for ${leaseMs} ms`).catch(() => {});
    }
    for (const owner of coordinator.owners()) {
      if (!owner.startsWith("e") || silence(owner) < ownerLeaseMs) continue;
      void coordinator.orphan(owner, "the client that spawned it is gone");
    }
  }, sweepMs);
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}
