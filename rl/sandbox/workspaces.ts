import type { SandboxProcess } from "./channel.js";
import { archiveOp, succeeded } from "./exec.js";

/** How the state of a workspace is kept and given to others. Each method ends what runs in the sandbox. */
export interface Workspaces {
  /** False when all that was saved is lost. */
  readonly alive: boolean;
  save(sandbox: SandboxProcess): Promise<SavedWorkspace>;
  /** Into one whose workspace is empty. */
  restore(sandbox: SandboxProcess, saved: SavedWorkspace): Promise<void>;
  drop(saved: SavedWorkspace): Promise<void>;
  /** Makes it empty where that takes more than deleting. */
  clear(sandbox: SandboxProcess): Promise<void>;
  /** It cannot be made as it was: what was used is ended, not handed out again. */
  readonly once?: boolean;
}

export type SavedWorkspace = { readonly brand?: "saved" };

interface Archive extends SavedWorkspace {
  tar: Uint8Array;
}

/** Keeps it as a tar archive in memory; works wherever a sandbox does, and takes time with its size. */
export const archivedWorkspaces: Workspaces = {
  alive: true,
  async save(sandbox): Promise<Archive> {
    const results = await sandbox.run([{ settle: true }, archiveOp(["tar", "-c", "-f", "-", "."], ".")]);
    return { tar: checked(results.at(-1)).data };
  },
  async restore(sandbox, saved): Promise<void> {
    const unpack = ["tar", "-x", "--no-same-owner", "-p", "-f", "-"];
    const [unpacked] = await sandbox.run([archiveOp(unpack, ".", (saved as Archive).tar)]);
    checked(unpacked);
  },
  async drop() {},
  async clear() {},
};

/** The same where the workspace is a folder of an image. */
export const unpackedOver: Workspaces = {
  ...archivedWorkspaces,
  once: true,
  async restore(sandbox, saved) {
    succeeded((await sandbox.run([{ reset: {} }]))[0]);
    await archivedWorkspaces.restore(sandbox, saved);
  },
};

function checked(answer: Parameters<typeof succeeded>[0]) {
  const result = succeeded(answer);
  if (result.exitCode === 0 && !result.truncated) return result;
  throw new Error(`tar failed: ${result.timedOut ? "out of time" : Buffer.from(result.stderr).toString().trim()}`);
}
