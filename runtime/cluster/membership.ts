import { hostname } from "node:os";
import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { Runtime } from "../core/runtime.js";
import { type Directory, NodeState } from "../directory/directory.js";
import { type Offers, offerOf } from "./offers.js";

/** Enters this node into the directory, with what it has to offer. */
export async function registerNode(
  runtime: Runtime & { directory: Directory },
  { slot, share, offers }: { slot: number; share: number; offers?: Offers | undefined },
): Promise<void> {
  const { directory, endpoint, node } = runtime;
  const record = actors.v1.NodeRecord.encode({
    id: node,
    endpoint: endpoint.id,
    state: NodeState.NODE_UP,
    host: hostname(),
    pid: process.pid,
    slot,
    ...offerOf(slot, share, offers),
  }).finish();
  if (await directory.store.create(`node.${node}`, record)) return;
  throw new ActorsError("NAME_TAKEN", `a node ${node} is already in the cluster`);
}
