import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeByLauncher, removeRemains } from "../cluster/remains.js";
import { type ClusterFile, readClusterFile, startingIn } from "../cluster/state.js";
import { disclaim } from "../core/claim.js";
import type { Face } from "./faces.js";
import { Interrupts } from "./interrupts.js";
import { isRunning, kill, parentOf } from "./processes.js";

const waitMs = 2000;

/** Of a command that starts processes of a cluster: the second signal ends them and their files at once. */
export function forcefully(clusterFile: string, face: Face): Interrupts {
  return new Interrupts((code) => {
    face.close();
    abandonOwn(clusterFile);
    process.exit(code);
  });
}

/** Kills what is left of a cluster without asking it, and removes its files. */
export function forceDown(clusterFile: string): void {
  const cluster = tryToRead(clusterFile);
  if (!cluster) return;
  killAll([...processesOf(clusterFile), ...cluster.natsPids]);
  removeRemains(cluster);
  rmSync(clusterFile, { force: true });
}

/**
 * The same for the cluster that this process has started, or is starting, and that may have no file yet. Synchronous:
 * this process is about to end.
 */
function abandonOwn(clusterFile: string): void {
  const cluster = tryToRead(clusterFile);
  const children = listPids().filter((pid) => parentOf(pid) === process.pid);
  if (cluster?.pid === process.pid) forceDown(clusterFile);
  killAll(children);
  removeByLauncher((pid) => pid === process.pid);
  const stateDir = dirname(clusterFile);
  if (disclaim(startingIn(stateDir))) rmSync(join(stateDir, "nats"), { recursive: true, force: true });
}

function tryToRead(clusterFile: string): ClusterFile | undefined {
  try {
    return readClusterFile(clusterFile);
  } catch {
    return undefined; // nothing had started
  }
}

function killAll(named: number[]): void {
  const pids = named.filter((pid) => pid > 0 && pid !== process.pid);
  for (const pid of pids) kill(pid, "SIGKILL");
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (const until = Date.now() + waitMs; pids.some(isRunning) && Date.now() < until; ) Atomics.wait(sleeper, 0, 0, 10);
}

/** Agents and workers carry the path of their cluster file in their environment. */
export function processesOf(clusterFile: string): number[] {
  const mark = `ACTORS_CLUSTER=${clusterFile}`;
  return listPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
    } catch {
      return false; // another user's, or gone
    }
  });
}

function listPids(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // no /proc: they end with their parent
  }
}
