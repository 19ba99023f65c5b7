import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, lstat, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withDeadline } from "../../runtime/index.js";
import { firstSandboxUser, requireSandboxd } from "./backend.js";

/** `actors-sandbox-<owner's pid>-…`: the owner's pid tells whether anyone still needs it. */
const prefix = "actors-sandbox-";
const sweepMs = 10_000;

export async function makeWorkspace(uid: number | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  if (uid !== null) await chown(folder, uid, uid);
  return folder;
}

/**
 * Removes a workspace from the inside of its own user, never by path from here: its content is the agent's, and a link
 * swapped in at the right moment would turn a removal by path against the host. A user of sandboxes alone loses its processes too.
 */
export async function removeWorkspace(folder: string): Promise<void> {
  const stat = await lstat(folder).catch(() => null);
  if (!stat?.isDirectory()) return;
  const args = ["sweep", folder, String(stat.uid), stat.uid >= firstSandboxUser ? "exclusive" : "shared"];
  const child = spawn(await requireSandboxd(), args, { stdio: "ignore", cwd: "/", detached: true });
  await withDeadline(once(child, "exit"), sweepMs, `the removal of ${folder}`).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
}

/** Workspaces in the temporary folder whose owner is gone. */
export async function staleWorkspaces(): Promise<string[]> {
  const names = await readdir(tmpdir());
  return names.filter((name) => name.startsWith(prefix) && !isAlive(ownerOf(name))).map((name) => join(tmpdir(), name));
}

function ownerOf(name: string): number {
  return Number.parseInt(name.slice(prefix.length), 10) || 0;
}

function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
