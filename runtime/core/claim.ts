import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { newId } from "./ids.js";

/**
 * Takes a file that at most one live process of this machine holds. One that a killed process left is taken over.
 * @returns what gives it back, or the pid of who holds it
 */
export function claim(path: string): (() => void) | number {
  const mine = `${path}.${process.pid}-${newId("l")}`;
  writeFileSync(mine, identityOf(process.pid));
  try {
    for (;;) {
      if (linked(mine, path)) return () => rmSync(path, { force: true });
      const holder = read(path);
      if (holder === undefined) continue; // given back just now
      const pid = Number(holder.split(" ")[0]);
      if (identityOf(pid) === holder) return pid;
      steal(path, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Gives back what this process holds, if it does. */
export function disclaim(path: string): boolean {
  const held = read(path) === identityOf(process.pid);
  if (held) rmSync(path, { force: true });
  return held;
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

/** Of several that see the dead holder's claim one moves it away; who moves a newer one by mistake puts it back. */
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

/**
 * What a claim holds: the pid, and where there is /proc the process's start, for pids are used again. Of one that has ended,
 * a zombie too, it is something that no claim holds.
 */
export function identityOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return isAlive(pid) ? `${pid} ` : "";
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? "" : `${pid} ${fields[19]}`;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
