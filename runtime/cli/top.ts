import type { HostSample } from "../cluster/introspection.js";
import type { CellReport } from "../core/cell-report.js";
import { pause } from "../core/wait.js";
import type { ActorInfo, ActorSystem, NodeInfo } from "../system.js";
import { hasEnded } from "./find.js";
import { clusterRuns } from "./processes.js";
import { Screen, type Terminal } from "./screen.js";
import { renderTop } from "./top-table.js";

const everyMs = 1_000;

/** Rates are of the time since the look before. null: its process does not answer. */
export interface TopNode extends Pick<NodeInfo, "id" | "state"> {
  /** Of one processor, over the node's processes: 200 is two processors busy. */
  cpuPercent: number;
  rssBytes: number;
  actors: number;
  callsPerSecond: number;
  /** How late a timer of the agent's event loop fired. */
  lagMs: number | null;
  /** Processes and threads of it that do not answer. */
  silent: number;
}

export interface TopActor extends Pick<ActorInfo, "id" | "name" | "def" | "node" | "state" | "restarts"> {
  depth: number | null;
  inFlight: number | null;
  callsPerSecond: number | null;
}

export interface Top {
  /** Unix milliseconds. */
  at: number;
  nodes: TopNode[];
  /** Those whose mailbox is fullest first, then the busiest. */
  actors: TopActor[];
}

/**
 * Looks at the cluster once a second until the signal, or until the cluster ends; once, after a second, with `once` and
 * where there is no terminal.
 */
export async function top(
  system: ActorSystem,
  { json = false, once = false }: { json?: boolean; once?: boolean },
  { out, signal }: { out: Terminal & { readonly isTTY?: boolean }; signal: AbortSignal },
): Promise<void> {
  const terminal = out.isTTY === true && process.env["TERM"] !== "dumb" && !json && !once;
  const repeated = terminal || (json && !once);
  const { stateDir } = system.cluster;
  const screen = new Screen(out);
  try {
    let before = await system.introspection().hosts();
    do {
      await pause(Math.max(0, before.at + everyMs - performance.now()), signal);
      if (signal.aborted || (stateDir && !clusterRuns(stateDir))) break;
      const now = await system.introspection().hosts();
      const found = compare(before, now, system.ps());
      before = now;
      if (json) out.write(`${JSON.stringify(found)}\n`);
      // One cell and one row stay free: a line that fills the terminal wraps on some.
      else if (terminal) screen.draw(renderTop(found, { cells: out.columns - 1, rows: out.rows - 1 }));
      else out.write(`${renderTop(found).join("\n")}\n`);
    } while (repeated && !signal.aborted);
  } finally {
    screen.close();
  }
}

/** What happened between two looks. */
export function compare(
  before: HostSample,
  now: HostSample,
  { nodes, actors }: { nodes: readonly NodeInfo[]; actors: readonly ActorInfo[] },
): Top {
  const seconds = (now.at - before.at) / 1000;
  const [cells, cellsBefore] = [cellsOf(now), cellsOf(before)];
  const shown = actors
    .filter((actor) => !hasEnded(actor))
    .map(({ id, name, def, node, state, restarts }): TopActor => {
      const cell = cells.get(id);
      const last = cellsBefore.get(id)?.handled ?? cell?.handled ?? 0;
      const handled = cell && (cell.handled >= last ? cell.handled - last : cell.handled); // a new incarnation
      return {
        ...{ id, name, def, node, state, restarts },
        depth: cell?.depth ?? null,
        inFlight: cell?.inFlight ?? null,
        callsPerSecond: handled === undefined ? null : rounded(handled / seconds),
      };
    });
  const n = (value: number | null) => value ?? -1;
  shown.sort(
    (a, b) => n(b.depth) - n(a.depth) || n(b.callsPerSecond) - n(a.callsPerSecond) || n(b.inFlight) - n(a.inFlight),
  );
  return { at: Date.now(), nodes: nodes.map((node) => topNode(node, before, now, shown)), actors: shown };
}

function topNode({ id, state }: NodeInfo, before: HostSample, now: HostSample, actors: readonly TopActor[]): TopNode {
  const hosts = now.hosts.filter(({ node }) => node === id);
  const answers = hosts.flatMap(({ report }) => report ?? []);
  // Threads share their process's memory and processor time.
  const processes = new Map(answers.map(({ at }) => [at.pid, at]));
  const cpuBefore = new Map(before.hosts.flatMap(({ report }) => (report ? [[report.at.pid, report.at.cpuMs]] : [])));
  let [cpuMs, rssBytes] = [0, 0];
  for (const at of processes.values()) {
    cpuMs += at.cpuMs - (cpuBefore.get(at.pid) ?? at.cpuMs);
    rssBytes += at.rssBytes;
  }
  const here = actors.filter(({ node }) => node === id);
  return {
    id,
    state,
    cpuPercent: rounded((cpuMs / (now.at - before.at)) * 100),
    rssBytes,
    actors: here.filter((actor) => actor.state === "RUNNING").length,
    callsPerSecond: rounded(here.reduce((sum, { callsPerSecond }) => sum + (callsPerSecond ?? 0), 0)),
    lagMs: hosts.find(({ agent }) => agent)?.report?.at.lagMs ?? null,
    silent: hosts.length - answers.length,
  };
}

const cellsOf = ({ hosts }: HostSample): Map<string, CellReport> =>
  new Map(hosts.flatMap(({ report }) => report?.cells ?? []).map((cell) => [cell.id, cell]));

const rounded = (n: number) => Math.round(n * 10) / 10;
