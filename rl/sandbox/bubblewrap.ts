import { spawn } from "node:child_process";
import { type FileHandle, lstat, open, readlink } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  commandEnv,
  type Image,
  nextName,
  refuseImage,
  requireSandboxd,
  type SandboxBackend,
  sandboxUser,
} from "./backend.js";
import { count } from "./cgroup.js";
import { SandboxProcess } from "./channel.js";
import { Holder } from "./holder.js";
import { LayeredWorkspaces } from "./layers.js";
import { childLink } from "./link.js";
import type { SandboxLimits } from "./session.js";

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
  readonly caveat = null;
  #root: Promise<string[]> | undefined;
  #layers: Promise<LayeredWorkspaces | null> | undefined;
  /** bubblewrap keeps the kernel's user: as root it could still write the host's settings, so it does not start as root. */
  readonly #user = sandboxUser();

  async start(limits: SandboxLimits, image?: Image | null): Promise<SandboxProcess> {
    refuseImage(this.name, image);
    const binary = await open(await requireSandboxd());
    try {
      const layers = await this.#layered(binary, limits);
      if (!layers) return await this.#spawn(binary, limits, await sandboxUser());
      const layer = await layers.begin();
      const started = await this.#spawn(binary, limits, await this.#user, { layers, layer }).catch((error) => {
        layers.began(null, layer, 0);
        throw error;
      });
      return started;
    } finally {
      await binary.close();
    }
  }

  close(): void {
    this.#layers?.then((layers) => layers?.end());
    this.#layers = undefined;
  }

  /** Null where the kernel has no overlay for us: each workspace is then a file system of its own. */
  async #layered(binary: FileHandle, limits: SandboxLimits): Promise<LayeredWorkspaces | null> {
    const known = await this.#layers;
    if (this.#layers && (known === null || known?.alive)) return known ?? null;
    this.#layers = this.#user
      .then((user) => Holder.start(`/proc/self/fd/${binaryFd}`, binary.fd, user))
      .then((holder) => new LayeredWorkspaces(holder, limits.diskMb))
      .catch(() => null);
    return this.#layers;
  }

  async #spawn(binary: FileHandle, limits: SandboxLimits, user: number | null, on?: OnLayer): Promise<SandboxProcess> {
    this.#root ??= rootArguments();
    const options = [...(await this.#root), ...fixedArguments(limits, on?.layer)];
    const serve = ["serve", "workspace=/workspace", "scratch=/tmp", "scratch=/dev/shm", ...limitArguments(limits)];
    const command = ["bwrap", "--args", "3", "--info-fd", "5", "/run/sandboxd", ...serve];
    const enter = on ? [`/proc/self/fd/${binaryFd}`, "enter", String(on.layers.holderPid)] : [];
    const [program = "", ...args] = [...enter, ...command];
    const child = spawn(program, args, {
      // 3: the options, which would else show in /proc/1/cmdline. 4: sandboxd, whose folder that user may not enter.
      stdio: ["pipe", "pipe", "pipe", "pipe", binary.fd, "pipe"],
      env: { PATH: process.env["PATH"] ?? commandEnv.PATH },
      cwd: "/",
      detached: true, // Ctrl-C is for the owner to handle
      ...(user !== null && { uid: user, gid: user }),
    });
    const starting = SandboxProcess.start(nextName(this.name), childLink(child), "/workspace");
    (child.stdio[3] as Writable | null)?.end(`${options.join("\0")}\0`);
    const told = text((child.stdio as readonly unknown[])[5] as Readable).catch(() => "");
    const sandbox = await starting;
    const pid = innerPid(await told);
    on?.layers.began(sandbox, on.layer, pid);
    await count(sandbox, pid, limits);
    return sandbox;
  }
}

interface OnLayer {
  layers: LayeredWorkspaces;
  layer: number;
}

const binaryFd = 4;

function innerPid(info: string): number {
  return Number(/"child-pid":\s*(\d+)/.exec(info)?.[1] ?? 0);
}

export function limitArguments(l: SandboxLimits): string[] {
  return [`processes=${l.processes}`, `memory_mb=${l.memoryMb}`, `file_mb=${l.diskMb}`];
}

/** The read-only root, as options of bwrap. */
export async function rootArguments(): Promise<string[]> {
  const args: string[] = [];
  for (const path of readOnly) {
    const stat = await lstat(path).catch(() => null);
    if (stat?.isSymbolicLink()) args.push("--symlink", await readlink(path), path);
    else if (stat) args.push("--ro-bind", path, path);
  }
  for (const name of settings) args.push("--ro-bind-try", `/etc/${name}`, `/etc/${name}`);
  return args;
}

/** What it may not do and where it works, as options of bwrap; sandboxd comes in on descriptor 4. */
export function fixedArguments(limits: SandboxLimits, layer?: number): string[] {
  const tmpfs = (path: string, size: number) => ["--size", String(size * mb), "--tmpfs", path];
  const args = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"];
  args.push("--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--hostname", "sandbox");
  args.push("--proc", "/proc", "--dev", "/dev", ...tmpfs("/dev/shm", tmpMb), "--remount-ro", "/dev");
  if (layer === undefined) args.push(...tmpfs("/workspace", limits.diskMb));
  else args.push("--bind", `/tmp/${layer}/up`, "/workspace");
  args.push(...tmpfs("/tmp", tmpMb), "--dir", "/run");
  args.push("--perms", "0555", "--ro-bind-data", "4", "/run/sandboxd", "--remount-ro", "/", "--clearenv");
  for (const [name, value] of Object.entries({ ...commandEnv, HOME: "/workspace", TMPDIR: "/tmp" }))
    args.push("--setenv", name, value);
  return args;
}
