import { isActorId } from "../core/ids.js";
import { join } from "../join.js";
import type { ActorInfo, NodeInfo } from "../system.js";
import { hasEnded } from "./find.js";
import { columns, plain } from "./text.js";

/** What runs on the cluster of this folder. @throws ActorsError UNAVAILABLE when there is none */
export async function ps(all: boolean): Promise<{ nodes: NodeInfo[]; actors: ActorInfo[] }> {
  await using system = await join({ required: true });
  const { nodes, actors } = system.ps();
  return { nodes, actors: all ? actors : actors.filter((actor) => !hasEnded(actor)) };
}

/** @param why also what each actor without a node waits for, and what the nodes offer */
export function renderPs({ nodes, actors }: { nodes: NodeInfo[]; actors: ActorInfo[] }, why = false): string {
  const nodeHead = ["NODE", "STATE", "HOST", "PID", "CPUS", "GPUS", "ACTORS", ...(why ? ["RESOURCES", "LABELS"] : [])];
  const table = columns([nodeHead, ...nodes.map((n) => nodeRow(n, why))]);
  if (actors.length > 0) {
    const head = ["ACTOR", "NAME", "ID", "NODE", "STATE", "HOSTING", "PID", "OWNER", "RESTARTS", "LAST FAILURE"];
    table.push("", ...columns([head, ...actors.map(actorRow)]));
  }
  const waiting = actors.filter((a) => a.waiting !== "");
  if (why) {
    table.push("", ...waiting.map((a) => plain(`${a.name || a.def} (${a.id}) waits for room: ${a.waiting}`)));
    if (waiting.length === 0) table.push("no actor waits for room");
  } else if (waiting.length > 0)
    table.push(
      "",
      `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} for room; \`actors ps --why\` tells what is missing`,
    );
  return `${table.join("\n")}\n`;
}

function nodeRow(n: NodeInfo, why: boolean): string[] {
  const list = (values: object) =>
    Object.entries(values)
      .map(([key, value]) => `${key}=${value}`)
      .join(" ") || "-";
  const row = [n.id, n.state, n.host, String(n.pid), String(n.cpus), n.devices.join(",") || "-", String(n.actors)];
  return (why ? [...row, list(n.resources), list(n.labels)] : row).map(plain);
}

function actorRow(a: ActorInfo): string[] {
  const pid = a.pid > 0 ? String(a.pid) : "-";
  const owner = a.owner === "" ? "detached" : isActorId(a.owner) ? a.owner : "client";
  const place = [a.def, a.name || "-", a.id, a.node || "-", a.state.toLowerCase(), a.hosting, pid];
  return [...place, owner, String(a.restarts), a.failure].map(plain);
}
