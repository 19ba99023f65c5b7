import { cpus, hostname, totalmem } from "node:os";
import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { Runtime } from "../core/runtime.js";
import { type Directory, NodeState } from "../directory/directory.js";

const bytesPerMb = 1 << 20;

/**
 * Enters this node into the directory.
 * @param slot its position among the nodes of one `up`; kept when the node is started again
 * @param share nodes that divide this machine's memory; CPUs are offered whole by each, for they can be shared
 */
export async function registerNode(
  runtime: Runtime & { directory: Directory },
  { slot, share }: { slot: number; share: number },
): Promise<void> {
  const { directory, endpoint, node } = runtime;
  const record = actors.v1.NodeRecord.encode({
    id: node,
    endpoint: endpoint.id,
    state: NodeState.NODE_UP,
    host: hostname(),
    pid: process.pid,
    capacity: { cpus: cpus().length, memoryMb: Math.floor(totalmem() / bytesPerMb / share), custom: {} },
    slot,
  }).finish();
  if (await directory.store.create(`node.${node}`, record)) return;
  throw new ActorsError("NAME_TAKEN", `a node ${node} is already in the cluster`);
}
