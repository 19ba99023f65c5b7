import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pause } from "../../runtime/index.js";
import type { SandboxProcess } from "./channel.js";
import { isLeftover, prefix } from "./leftovers.js";
import type { SandboxLimits } from "./session.js";

const mounted = "/sys/fs/cgroup";
const otherMb = 96; // what sandboxd, /tmp and /dev/shm may take beside
const removals = 20;

type Setting = readonly [file: string, value: (limits: SandboxLimits) => number];
const totalMemory = ({ memoryMb, diskMb }: SandboxLimits) => (2 * memoryMb + diskMb + otherMb) << 20;
const processes = (limits: SandboxLimits) => limits.processes + 2;
const v1: Record<string, Setting> = {
  memory: ["memory.limit_in_bytes", totalMemory],
  pids: ["pids.max", processes],
};
const v2: Record<string, Setting> = { memory: ["memory.max", totalMemory], pids: ["pids.max", processes] };

/** Control groups in which all processes of a sandbox are counted together: memory, twice that of one, and their number. */
export class Cgroups {
  /** Folders that groups can be made in, with what is set there. */
  readonly #homes: { folder: string; settings: Setting[] }[];
  readonly controllers: readonly string[];

  private constructor(homes: { folder: string; settings: Setting[] }[], controllers: string[]) {
    this.#homes = homes;
    this.controllers = controllers;
  }

  /** Version 2 where it is delegated to us, else version 1. Null where neither can be written. */
  static async find(): Promise<Cgroups | null> {
    const lines = (await readFile("/proc/self/cgroup", "utf8").catch(() => "")).trim().split("\n");
    const own = new Map(
      lines.map((line) => line.split(":")).map(([, names = "", path = ""]) => [names, path] as const),
    );
    for (const folder of [own.get(""), dirname(own.get("") ?? "/")]) {
      const home = join(mounted, folder ?? "/");
      const given = (await readFile(join(home, "cgroup.subtree_control"), "utf8").catch(() => "")).trim().split(" ");
      const names = Object.keys(v2).filter((name) => given.includes(name));
      if (names.length > 0 && (await isWritable(home)))
        return new Cgroups([{ folder: home, settings: names.map((name) => v2[name] as Setting) }], names);
    }
    const homes: { folder: string; settings: Setting[] }[] = [];
    const controllers: string[] = [];
    for (const [name, setting] of Object.entries(v1)) {
      const [, path] = [...own].find(([names]) => names.split(",").includes(name)) ?? [];
      const folder = join(mounted, name, path ?? "");
      if (path === undefined || !(await isWritable(folder))) continue;
      homes.push({ folder, settings: [setting] });
      controllers.push(name);
    }
    return homes.length > 0 ? new Cgroups(homes, controllers) : null;
  }

  /** Counts the process and what it will start. */
  async admit(name: string, pid: number, limits: SandboxLimits): Promise<void> {
    for (const { folder, settings } of this.#homes) {
      const group = join(folder, `${prefix}${process.pid}-${name}`);
      await mkdir(group);
      for (const [file, value] of settings) await writeFile(join(group, file), String(value(limits)));
      await writeFile(join(group, "cgroup.procs"), String(pid));
    }
  }

  /** Once its processes have ended. */
  async remove(name: string): Promise<void> {
    for (const { folder } of this.#homes) await removeGroup(join(folder, `${prefix}${process.pid}-${name}`));
  }

  /** Removes the groups whose owner died together with its sandboxes. */
  async sweep(): Promise<void> {
    for (const { folder } of this.#homes)
      for (const name of await readdir(folder)) if (isLeftover(name)) await removeGroup(join(folder, name));
  }
}

async function removeGroup(group: string): Promise<void> {
  for (let attempt = 0; attempt < removals; attempt++) {
    const gone = await rmdir(group).then(
      () => true,
      (error) => error.code === "ENOENT",
    );
    if (gone) return;
    await pause(10 << Math.min(attempt, 4)); // the last of its processes is being ended by the kernel
  }
}

const isWritable = (folder: string) =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

const groups = Cgroups.find();

/** Counts a sandbox that just started, as long as it lives, where this machine lets us. */
export async function count(sandbox: SandboxProcess, pid: number, limits: SandboxLimits): Promise<void> {
  const cgroups = await groups;
  if (!cgroups || pid <= 0) return;
  try {
    await cgroups.admit(sandbox.id, pid, limits);
    sandbox.achieved = [...sandbox.achieved, ...cgroups.controllers.map((name) => `cgroup-${name}`)];
  } catch {
    // Its other limits hold; the log says what was proven.
  }
  sandbox.removing(() => cgroups.remove(sandbox.id));
}

/** Removes what killed owners left of that. */
export async function sweepCounts(): Promise<void> {
  await (await groups)?.sweep();
}
