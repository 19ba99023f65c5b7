import { repoRoot } from "./workspace.js";

/** Where a repository lies in its sandbox. */
export interface Ground {
  /** Absolute path of the repository. */
  root: string;
  /** Where the sandbox's own paths begin. */
  workspace: string;
  /** Lines of bash before each command of the agent's. */
  before: string;
}

/** Of the tasks that are written into the sandbox. */
export const written: Ground = { root: repoRoot, workspace: "/workspace", before: "" };
