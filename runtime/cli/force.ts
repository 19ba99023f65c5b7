import { readdirSync, readFileSync, rmSync } from "node:fs";
import { removeRemains } from "../cluster/remains.js";
import { type ClusterFile, readClusterFile } from "../cluster/state.js";
import { isRunning, kill } from "./processes.js";

const waitMs = 2000;

/** Kills what is left of a cluster without asking it, and removes its files. Synchronous: the caller is about to end. */
export function forceDown(clusterFile: string): void {
  let cluster: ClusterFile;
  try {
    cluster = readClusterFile(clusterFile);
  } catch {
    return; // nothing had started
  }
  const pids = [...processesOf(clusterFile), cluster.natsPid].filter((pid) => pid > 0 && pid !== process.pid);
  for (const pid of pids) kill(pid, "SIGKILL");
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (const until = Date.now() + waitMs; pids.some(isRunning) && Date.now() < until; ) Atomics.wait(sleeper, 0, 0, 10);
  removeRemains(cluster);
  rmSync(clusterFile, { force: true });
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
