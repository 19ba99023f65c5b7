import { bytes, clip, columns, number, plain } from "./text.js";
import type { Top, TopActor, TopNode } from "./top.js";

/** Lines of nodes and actors. @param room of a terminal: what does not fit is left out, the idlest actors first */
export function renderTop({ nodes, actors }: Top, room?: { cells: number; rows: number }): string[] {
  const calls = nodes.reduce((sum, { callsPerSecond }) => sum + callsPerSecond, 0);
  const head = [
    `${counted(nodes.length, "node")} · ${counted(actors.length, "actor")} · ${number(calls)} calls/s`,
    "",
    ...columns([["NODE", "STATE", "CPU", "MEMORY", "ACTORS", "CALLS/S", "LOOP LATE", "SILENT"], ...nodes.map(nodeRow)]),
  ];
  const table = columns([
    ["ACTOR", "ID", "NODE", "STATE", "MAILBOX", "IN FLIGHT", "CALLS/S", "RESTARTS"],
    ...actors.map(actorRow),
  ]);
  const lines = actors.length > 0 ? [...head, "", ...table] : head;
  if (!room) return lines;
  const { cells, rows } = room;
  const over = lines.length - rows;
  const shown = over > 0 ? [...lines.slice(0, Math.max(0, rows - 1)), `and ${over + 1} more lines`] : lines;
  return shown.slice(0, Math.max(1, rows)).map((line) => clip(line, cells));
}

const nodeRow = (node: TopNode) => [
  node.id,
  node.state,
  `${number(node.cpuPercent)} %`,
  bytes(node.rssBytes),
  String(node.actors),
  number(node.callsPerSecond),
  node.lagMs === null ? "no answer" : `${number(node.lagMs)} ms`,
  String(node.silent),
];

const actorRow = ({ id, name, def, node, state, depth, inFlight, callsPerSecond, restarts }: TopActor) =>
  [
    name || def,
    id,
    node || "-",
    state === "RUNNING" && depth === null ? "no answer" : state.toLowerCase(),
    ...[depth, inFlight, callsPerSecond].map((n) => (n === null ? "-" : number(n))),
    String(restarts),
  ].map(plain);

const counted = (n: number, what: string) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;
