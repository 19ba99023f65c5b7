import { spawn } from "node:child_process";
import { type FileHandle, lstat, open, readlink } from "node:fs/promises";
import type { Writable } from "node:stream";
import { commandEnv, nextName, requireSandboxd, type SandboxBackend, sandboxUser } from "./backend.js";
import { SandboxProcess } from "./channel.js";
import type { SandboxLimits } from "./session.js";
import { archivedWorkspaces } from "./workspaces.js";

const tmpMb = 32;
const mb = 1 << 20;

/** Programs and libraries, and the few settings they need; nothing of anyone's home or data. */
const readOnly = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
const settings = ["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf", "ssl"];

/**
 * Every namespace of its own, no capability, a read-only root made of programs alone, and a workspace in memory. Nothing
 * of it exists on the host's file system, and the kernel ends it with its owner.
 */
export class BubblewrapBackend implements SandboxBackend {
  readonly name = "bubblewrap";
  readonly workspaces = archivedWorkspaces;
  readonly caveat = null;
  #root: Promise<string[]> | undefined;

  async start(limits: SandboxLimits): Promise<SandboxProcess> {
    const binary: FileHandle = await open(await requireSandboxd());
    try {
      this.#root ??= rootArguments();
      const options = [...(await this.#root), ...fixedArguments(limits)];
      // bubblewrap keeps the kernel's user: as root it could still write the host's settings, so it does not start as root.
      const user = await sandboxUser();
      const serve = ["serve", "workspace=/workspace", "scratch=/tmp", "scratch=/dev/shm"];
      const child = spawn("bwrap", ["--args", "3", "/run/sandboxd", ...serve, ...limitArguments(limits)], {
        // 3: the options, which would else show in /proc/1/cmdline. 4: sandboxd, whose folder that user may not enter.
        stdio: ["pipe", "pipe", "pipe", "pipe", binary.fd],
        env: { PATH: process.env["PATH"] ?? commandEnv.PATH },
        cwd: "/",
        detached: true, // Ctrl-C is for the owner to handle
        ...(user !== null && { uid: user, gid: user }),
      });
      const sandbox = SandboxProcess.start(nextName(this.name), child, "/workspace");
      (child.stdio[3] as Writable | null)?.end(`${options.join("\0")}\0`);
      return await sandbox;
    } finally {
      await binary.close();
    }
  }
}

export function limitArguments(l: SandboxLimits): string[] {
  return [`processes=${l.processes}`, `memory_mb=${l.memoryMb}`, `file_mb=${l.diskMb}`];
}

async function rootArguments(): Promise<string[]> {
  const args: string[] = [];
  for (const path of readOnly) {
    const stat = await lstat(path).catch(() => null);
    if (stat?.isSymbolicLink()) args.push("--symlink", await readlink(path), path);
    else if (stat) args.push("--ro-bind", path, path);
  }
  for (const name of settings) args.push("--ro-bind-try", `/etc/${name}`, `/etc/${name}`);
  return args;
}

function fixedArguments(limits: SandboxLimits): string[] {
  const tmpfs = (path: string, size: number) => ["--size", String(size * mb), "--tmpfs", path];
  const args = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"];
  args.push("--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--hostname", "sandbox");
  args.push("--proc", "/proc", "--dev", "/dev", ...tmpfs("/dev/shm", tmpMb), "--remount-ro", "/dev");
  args.push(...tmpfs("/workspace", limits.diskMb), ...tmpfs("/tmp", tmpMb), "--dir", "/run");
  args.push("--perms", "0555", "--ro-bind-data", "4", "/run/sandboxd", "--remount-ro", "/", "--clearenv");
  for (const [name, value] of Object.entries({ ...commandEnv, HOME: "/workspace", TMPDIR: "/tmp" }))
    args.push("--setenv", name, value);
  return args;
}
