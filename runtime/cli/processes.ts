import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { clusterFileIn, readClusterFile } from "../cluster/state.js";
import { isAlive } from "../core/claim.js";
import { pause } from "../core/wait.js";

const ticksPerSecond = 100; // USER_HZ, which Linux fixes for /proc

/** false for a zombie too: it has ended, only nobody has collected it. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  const state = statFields(pid)?.[0];
  return state !== "Z" && state !== "X";
}

/** Whether the cluster whose state is in that folder is up. */
export function clusterRuns(stateDir: string): boolean {
  try {
    return isRunning(readClusterFile(clusterFileIn(stateDir)).pid);
  } catch {
    return false;
  }
}

/**
 * Whether the process can be the one that was alive at `at`, and not a later one under the same number.
 * @param at Unix milliseconds
 */
export function ranAt(pid: number, at: number): boolean {
  const ticks = Number(statFields(pid)?.[19]);
  if (!Number.isFinite(ticks)) return true; // no /proc here
  const startedAt = Date.now() - (uptime() - ticks / ticksPerSecond) * 1000;
  return startedAt <= at + 2000;
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended
  }
}

/** @returns false when one of them still runs after `timeoutMs` */
export async function untilGone(pids: number[], timeoutMs: number): Promise<boolean> {
  for (const until = Date.now() + timeoutMs; pids.some(isRunning); await pause(20)) {
    if (Date.now() > until) return false;
  }
  return true;
}

export const parentOf = (pid: number) => Number(statFields(pid)?.[1]);

/** Fields of /proc/PID/stat from the third, which is the state; the second may hold blanks and is skipped. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
