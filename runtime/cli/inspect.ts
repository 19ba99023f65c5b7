import { bundleOf, short } from "../bundles/names.js";
import type { ActorLook } from "../cluster/introspection.js";
import type { CellDetail } from "../core/cell-report.js";
import type { EndpointReport } from "../core/endpoint-actor.js";
import { join } from "../join.js";
import type { ActorInfo } from "../system.js";
import { findActor } from "./find.js";
import { bytes, columns, number, plain, took } from "./text.js";

export interface InspectedActor {
  actor: ActorInfo & Omit<ActorLook, "live" | "process" | "note">;
  live: CellDetail | null;
  process: EndpointReport | null;
  note: string | null;
}

/** @throws UsageError when nothing is called so, ActorsError UNAVAILABLE when no cluster runs here */
export async function inspect(wanted: string): Promise<InspectedActor> {
  await using system = await join({ required: true });
  const found = findActor(wanted, system.ps().actors);
  const { live, process, note, ...record } = await system.introspection().actor(found.id);
  return { actor: { ...found, ...record }, live, process, note };
}

export function renderActor({ actor, live, process, note }: InspectedActor): string {
  const lines = [...recordLines(actor), ""];
  if (note) lines.push(note);
  if (process) lines.push(...processLines(process));
  if (live) lines.push(...liveLines(live));
  return `${lines.map(plain).join("\n")}\n`;
}

function recordLines(actor: InspectedActor["actor"]): string[] {
  const { name, def, id, node, pid, epoch, restarts, hosting, needs, wantNode, ownedBy, lastFailure } = actor;
  const asked = Object.entries(needs).map(([what, n]) => `${what} ${number(n)}`);
  if (wantNode) asked.push(`node ${wantNode}`);
  const where = node ? `on ${node}${pid > 0 ? `, process ${pid}` : ""}, ` : "";
  const rows = [
    ["actor", `${name || def} (${id})`],
    ["definition", def],
    ["code", codeOf(actor.module)],
    [
      "state",
      `${actor.state.toLowerCase()} ${where}incarnation ${epoch}, ${restarts} restart${restarts === 1 ? "" : "s"}`,
    ],
    ["hosting", hosting],
    ["needs", asked.join(", ") || "nothing"],
    ["owner", ownedBy || "nobody: it is detached"],
    ["last failure", lastFailure ? `[${lastFailure.code}] ${lastFailure.message}` : "none"],
  ];
  if (lastFailure?.hint) rows.push(["", lastFailure.hint]);
  const crashes = actor.crashes.map((crash) => [
    new Date(crash.at).toISOString().slice(0, 19).replace("T", " "),
    String(crash.epoch),
    crash.node,
    crash.error,
  ]);
  const lines = columns(rows);
  if (crashes.length > 0)
    lines.push("", ...columns([["LAST CRASHES (UTC)", "INCARNATION", "NODE", "ERROR"], ...crashes]));
  return lines;
}

function codeOf(module: string): string {
  const hash = bundleOf(module);
  return hash === undefined ? module : module.replace(hash, short(hash));
}

function processLines({ lagMs, rssBytes }: EndpointReport): string[] {
  return columns([
    ["event loop", `${number(lagMs)} ms late`],
    ["memory", `${bytes(rssBytes)} of its process`],
  ]);
}

function liveLines(live: CellDetail): string[] {
  const median = live.medianMs === null ? "" : `, half of them within ${number(live.medianMs)} ms`;
  const counts = `${number(live.handled)} handled, ${number(live.failed)} failed, ${number(live.refused)} refused${median}`;
  const lines = columns([
    ["calls", counts],
    ["mailbox", mailboxText(live)],
    ["in flight", number(live.inFlight)],
  ]);
  const running = live.running.map(({ method, from, ageMs, leftMs }) => [
    method,
    from,
    took(ageMs),
    leftMs === null ? "-" : leftMs > 0 ? took(leftMs) : "past",
  ]);
  if (running.length > 0) lines.push("", ...columns([["IN FLIGHT", "CALLER", "AGE", "DEADLINE IN"], ...running]));
  const queued = Object.entries(live.queued).map(([method, n]) => [method, number(n)]);
  if (queued.length > 0) lines.push("", ...columns([["QUEUED", "CALLS"], ...queued]));
  const errors = live.errors.map(({ at, method, code, message }) => [
    new Date(at).toISOString().slice(11, 23),
    method,
    `[${code}] ${message}`,
  ]);
  if (errors.length > 0) lines.push("", ...columns([["LAST ERRORS (UTC)", "METHOD", "ERROR"], ...errors]));
  return lines;
}

function mailboxText({ depth, limit, callersHeld }: CellDetail): string {
  const room = `${number(depth)} of ${number(limit)}`;
  return callersHeld > 0 ? `${room}; callers that hold calls back until there is room: ${number(callersHeld)}` : room;
}
