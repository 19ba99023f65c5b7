import { join } from "../join.js";
import type { ActorInfo, NodeInfo } from "../system.js";
import { columns, plain } from "./text.js";

const ended = new Set(["STOPPED", "FAILED"]);

/** What runs on the cluster of this folder. @throws ActorsError UNAVAILABLE when there is none */
export async function ps(all: boolean): Promise<{ nodes: NodeInfo[]; actors: ActorInfo[] }> {
  await using system = await join({ required: true });
  const { nodes, actors } = system.ps();
  return { nodes, actors: all ? actors : actors.filter(({ state }) => !ended.has(state)) };
}

export function renderPs({ nodes, actors }: { nodes: NodeInfo[]; actors: ActorInfo[] }): string {
  const nodeRows = nodes.map((n) => [n.id, n.state, n.host, String(n.pid), String(n.cpus), String(n.actors)]);
  const table = columns([["NODE", "STATE", "HOST", "PID", "CPUS", "ACTORS"], ...nodeRows]);
  if (actors.length > 0) {
    const head = ["ACTOR", "NAME", "ID", "NODE", "STATE", "HOSTING", "PID", "OWNER", "RESTARTS", "LAST FAILURE"];
    table.push("", ...columns([head, ...actors.map(actorRow)]));
  }
  return `${table.join("\n")}\n`;
}

function actorRow(a: ActorInfo): string[] {
  const pid = a.pid > 0 ? String(a.pid) : "-";
  const owner = a.owner === "" ? "detached" : a.owner.startsWith("e") ? "client" : a.owner; // e…: an endpoint
  const place = [a.def, a.name || "-", a.id, a.node || "-", a.state.toLowerCase(), a.hosting, pid];
  return [...place, owner, String(a.restarts), a.failure].map(plain);
}
