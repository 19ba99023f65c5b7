import type { SandboxProcess } from "./channel.js";
import { archiveOp, succeeded } from "./exec.js";

/** How a backend keeps the state of a workspace and gives it to others. A sandbox has no processes meanwhile. */
export interface Workspaces {
  save(sandbox: SandboxProcess): Promise<SavedWorkspace>;
  /** Into one whose workspace is empty. */
  restore(sandbox: SandboxProcess, saved: SavedWorkspace): Promise<void>;
  drop(saved: SavedWorkspace): Promise<void>;
}

export type SavedWorkspace = { readonly brand?: "saved" };

interface Archive extends SavedWorkspace {
  tar: Uint8Array;
}

/** Keeps it as a tar archive in memory; works wherever a sandbox does, and takes time with its size. */
export const archivedWorkspaces: Workspaces = {
  async save(sandbox): Promise<Archive> {
    const [packed] = await sandbox.run([archiveOp(["tar", "-c", "-f", "-", "."], ".")]);
    return { tar: checked(packed).data };
  },
  async restore(sandbox, saved): Promise<void> {
    const unpack = ["tar", "-x", "--no-same-owner", "-p", "-f", "-"];
    const [unpacked] = await sandbox.run([archiveOp(unpack, ".", (saved as Archive).tar)]);
    checked(unpacked);
  },
  async drop() {},
};

function checked(answer: Parameters<typeof succeeded>[0]) {
  const result = succeeded(answer);
  if (result.exitCode === 0 && !result.truncated) return result;
  throw new Error(`tar failed: ${result.timedOut ? "out of time" : Buffer.from(result.stderr).toString().trim()}`);
}
