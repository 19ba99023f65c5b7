import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, lstat, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../runtime/core/claim.js";
import { ActorsError, type Logger, withDeadline } from "../../runtime/index.js";
import { firstSandboxUser, requireSandboxd } from "./backend.js";

/** `actors-sandbox-<owner's pid>-…`: the owner's pid tells whether anyone still needs it. */
export const prefix = "actors-sandbox-";
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
  const removal = withDeadline(once(child, "exit"), sweepMs, `the removal of ${folder}`);
  const [status] = await removal.finally(() => child.kill("SIGKILL"));
  if (status !== 0)
    throw new ActorsError("UNAVAILABLE", `${folder} could not be removed`, { hint: "Remove it by hand." });
}

/** Removes the workspaces in the temporary folder whose owner was killed together with its sandboxes. */
export async function sweepWorkspaces(log: Logger): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!isLeftover(name)) continue;
    await removeWorkspace(join(tmpdir(), name)).catch((error) => log.warn((error as Error).message));
  }
}

/** Whether what has this name belonged to a process that has ended. */
export function isLeftover(name: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const owner = Number.parseInt(name.slice(prefix.length), 10) || 0;
  return owner <= 0 || !isAlive(owner);
}
