import type { ActorInfo, NodeInfo } from "../system.js";
import type { Progress } from "./job.js";
import { clip, columns, duration, number, plain } from "./text.js";

export interface Status {
  title: string;
  /** Since the start. */
  seconds: number;
  nodes: NodeInfo[];
  actors: ActorInfo[];
  progress: Progress | null;
  /** At the right end of the first line. */
  note: string;
}

const barCells = 24;

/** The live table as lines that fit into `cells` by `rows`; what does not fit is left out from the actors upwards. */
export function renderStatus(status: Status, cells: number, rows: number): string[] {
  const head = [header(status, cells), ""];
  const foot = status.progress ? ["", ...progressLines(status.progress)] : [];
  const live = status.actors.filter(({ state }) => state !== "STOPPED");
  const body = [...nodeRows(status.nodes, live), ...actorRows(live)];
  const room = Math.max(0, rows - head.length - foot.length);
  const shown = body.length > room ? body.slice(0, room) : body;
  return [...head, ...shown, ...foot].slice(0, Math.max(1, rows)).map((line) => clip(line, cells));
}

function header({ title, seconds, note }: Status, cells: number): string {
  const left = `${title} · ${duration(seconds)}`;
  const gap = cells - left.length - note.length;
  return gap > 1 ? left + " ".repeat(gap) + note : left;
}

function nodeRows(nodes: NodeInfo[], actors: ActorInfo[]): string[] {
  const rows = nodes.map((node) => {
    const here = actors.filter((actor) => actor.node === node.id && actor.state === "RUNNING");
    return [node.id, node.state, String(node.pid), counted(here.map(kind)).join(", ")];
  });
  return columns([["NODE", "STATE", "PID", "ACTORS"], ...rows]);
}

function actorRows(actors: ActorInfo[]): string[] {
  if (actors.length === 0) return [];
  const rows = [...groups(actors)].map(([name, members]) => [
    name,
    `${members.filter(({ state }) => state === "RUNNING").length}/${members.length}`,
    counted(members.filter(({ state }) => state !== "RUNNING").map(({ state }) => state.toLowerCase())).join(", "),
    String(members.reduce((sum, { restarts }) => sum + restarts, 0)),
  ]);
  return ["", ...columns([["ACTOR", "RUNNING", "OTHER", "RESTARTS"], ...rows])];
}

function groups(actors: ActorInfo[]): Map<string, ActorInfo[]> {
  const byKind = new Map<string, ActorInfo[]>();
  for (const actor of actors) byKind.set(kind(actor), [...(byKind.get(kind(actor)) ?? []), actor]);
  return byKind;
}

const kind = ({ def }: ActorInfo) => plain(def);

/** a, a, b -> "a x2", "b" */
function counted(names: string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} x${count}`));
}

function progressLines({ phase, step, steps, fields, etaSeconds }: Progress): string[] {
  const filled = steps > 0 ? Math.round(barCells * Math.min(1, step / steps)) : 0;
  const bar = "#".repeat(filled) + ".".repeat(barCells - filled);
  const eta = etaSeconds === null ? "" : `  ETA ${duration(etaSeconds)}`;
  return [`${plain(phase)}  [${bar}]  ${step}/${steps}${eta}`, fieldText(fields)];
}

/** `reward 0.43   success 0.5` */
export function fieldText(fields: Progress["fields"]): string {
  return Object.entries(fields)
    .map(([name, value]) => `${plain(name)} ${number(value)}`)
    .join("   ");
}

/** One line of a run where there is no terminal. */
export function progressText({ phase, step, steps, fields, etaSeconds }: Progress): string {
  const eta = etaSeconds === null ? "" : `   ETA ${duration(etaSeconds)}`;
  return `${plain(phase)} ${step}/${steps}   ${fieldText(fields)}${eta}`.trimEnd();
}
