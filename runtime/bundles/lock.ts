import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAlive } from "../cluster/state.js";
import { ActorsError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import { pause } from "../core/wait.js";

const againMs = 50;

/**
 * Runs `step` while no other process of this machine holds the lock. One that a killed process left is taken over.
 * @param what that the holder does, for the error
 * @throws ActorsError DEADLINE_EXCEEDED, CANCELLED
 */
export async function withLock<T>(
  path: string,
  on: { what: string; timeoutMs: number; signal: AbortSignal },
  step: () => Promise<T>,
): Promise<T> {
  await acquire(path, on);
  try {
    return await step();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(
  path: string,
  { what, timeoutMs, signal }: { what: string; timeoutMs: number; signal: AbortSignal },
) {
  const mine = `${path}.${process.pid}-${newId("l")}`;
  writeFileSync(mine, identityOf(process.pid));
  try {
    for (const until = Date.now() + timeoutMs; ; await pause(againMs, signal)) {
      if (signal.aborted) throw new ActorsError("CANCELLED", `${what} was cancelled`);
      if (linked(mine, path)) return;
      const holder = read(path);
      if (holder === undefined) continue;
      const pid = Number(holder.split(" ")[0]);
      if (!isAlive(pid) || identityOf(pid) !== holder) steal(path, holder);
      else if (Date.now() > until)
        throw new ActorsError("DEADLINE_EXCEEDED", `${what}: process ${pid} was still at it after ${timeoutMs} ms`);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** A hard link appears with its content or not at all. */
function linked(from: string, path: string): boolean {
  try {
    linkSync(from, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Of several that see the dead holder's lock one moves it away; who moves a newer one by mistake puts it back. */
function steal(path: string, holder: string): void {
  const aside = `${path}.${process.pid}-${newId("s")}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // another was first
  }
  if (read(aside) !== holder) linked(aside, path);
  rmSync(aside, { force: true });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The pid, and where there is /proc the process's start, for pids are used again. */
function identityOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return `${pid} ${stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""}`;
}
