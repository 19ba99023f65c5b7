// What control's actors take from whom. NATS vouches for the caller and its role: docs/decisions/008.

import { type ActorId, isOfRole } from "../core/ids.js";
import type { Incoming } from "../core/incoming.js";
import type { Directory } from "../directory/directory.js";
import type { AgentProtocol, CoordinatorProtocol } from "./protocol.js";

const forAnyone: readonly string[] = [
  "spawn",
  "getOrSpawn",
  "spawnGang",
  "stop",
  "wake",
] satisfies (keyof CoordinatorProtocol)[];
const forClients: readonly string[] = ["bundles", "removeBundle"] satisfies (keyof AgentProtocol)[];

/** Actors start and stop actors; only control knows who ended. Whether an actor rests is for whoever hosts it to say. */
export function mayAskCoordinator(
  call: Incoming,
  directory: Directory,
  rest: Parameters<Incoming["args"]>[0],
): boolean {
  if (forAnyone.includes(call.method) || isOfRole(call.from, "control")) return true;
  if (call.method !== rest.name) return false;
  const [id] = call.args(rest);
  return directory.actors.get(id as ActorId)?.record.endpoint === call.from;
}

export const mayAskAgent = ({ from, method }: Incoming): boolean =>
  isOfRole(from, "control") || (isOfRole(from, "client") && forClients.includes(method));
