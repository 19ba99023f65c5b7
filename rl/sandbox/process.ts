import { spawn } from "node:child_process";
import { join } from "node:path";
import {
  commandEnv,
  type Image,
  nextName,
  refuseImage,
  requireSandboxd,
  type SandboxBackend,
  sandboxUser,
} from "./backend.js";
import { limitArguments } from "./bubblewrap.js";
import { count } from "./cgroup.js";
import { SandboxProcess } from "./channel.js";
import { makeWorkspace, removeWorkspace } from "./leftovers.js";
import { childLink } from "./link.js";
import type { SandboxLimits } from "./session.js";

/**
 * Where nothing better runs: own session, rlimits, call filter, a user of its own when started by root, no network where
 * the kernel lets us, a workspace in the temporary folder. It shares the host's file system and process list.
 */
export class ProcessBackend implements SandboxBackend {
  readonly name = "process";
  readonly caveat =
    "the process backend does not hide the host's files and processes, its workspace has no size limit, and " +
    "unless started by root its sandboxes can reach each other and you; " +
    "install bubblewrap, and allow user namespaces, before running code you do not trust";

  async start(limits: SandboxLimits, image?: Image | null): Promise<SandboxProcess> {
    refuseImage(this.name, image);
    const binary = await requireSandboxd();
    const user = await sandboxUser();
    const folder = await makeWorkspace(user);
    const [workspace, scratch] = [join(folder, "workspace"), join(folder, "tmp")];
    const args = [
      "serve",
      `workspace=${workspace}`,
      `scratch=${scratch}`,
      `remove=${folder}`,
      `isolate=${user ?? 0}`,
      ...limitArguments(limits),
    ];
    const child = spawn(binary, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...commandEnv, HOME: workspace, TMPDIR: scratch },
      cwd: "/",
      detached: true,
    });
    const sandbox = SandboxProcess.start(nextName(this.name), childLink(child), workspace);
    // It removes its folder itself unless it was killed.
    const removed = () => removeWorkspace(folder).catch(() => {});
    child.once("exit", removed).once("error", removed);
    const started = await sandbox;
    await count(started, started.pid, limits);
    return started;
  }

  close(): void {}
}
