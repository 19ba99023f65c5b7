import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pause } from "../../runtime/index.js";
import type { SandboxProcess } from "./channel.js";
import { isLeftover, prefix } from "./leftovers.js";
import type { SandboxLimits } from "./session.js";

const mounted = "/sys/fs/cgroup";
const otherMb = 96; // what sandboxd, /tmp and /dev/shm may take beside
const removals = 20;

type Setting = readonly [file: string, value: (limits: SandboxLimits) => number | string];
/** Bytes that all processes of a sandbox may take together. */
export const totalMemory = ({ memoryMb, diskMb }: SandboxLimits) => (2 * memoryMb + diskMb + otherMb) * 2 ** 20;
/** sandboxd and what it forks with among them. */
export const totalProcesses = (limits: SandboxLimits) => limits.processes + 2;
const periodUs = 100_000;
const quotaUs = ({ cpus }: SandboxLimits) => Math.round(cpus * periodUs);
const v1: Record<string, Setting> = {
  memory: ["memory.limit_in_bytes", totalMemory],
  pids: ["pids.max", totalProcesses],
  cpu: ["cpu.cfs_quota_us", quotaUs], // its period is that of the kernel, which is the same
};
const v2: Record<string, Setting> = {
  memory: ["memory.max", totalMemory],
  pids: ["pids.max", totalProcesses],
  cpu: ["cpu.max", (limits) => `${quotaUs(limits)} ${periodUs}`],
};

interface Home {
  /** Groups can be made in it. */
  folder: string;
  /** By controller. */
  settings: Record<string, Setting>;
}

/** Control groups in which all processes of a sandbox are counted together: memory, twice that of one, their number, and time of the CPU. */
export class Cgroups {
  /** Folders that groups can be made in, with what is set there. */
  readonly #homes: readonly Home[];

  private constructor(homes: readonly Home[]) {
    this.#homes = homes;
  }

  get controllers(): string[] {
    return this.#homes.flatMap(({ settings }) => Object.keys(settings));
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
      const settings = Object.entries(v2).filter(([name]) => given.includes(name));
      if (settings.length > 0 && (await isWritable(home)))
        return new Cgroups([{ folder: home, settings: Object.fromEntries(settings) }]);
    }
    const homes: Home[] = [];
    for (const [name, setting] of Object.entries(v1)) {
      const [, path] = [...own].find(([names]) => names.split(",").includes(name)) ?? [];
      const folder = join(mounted, name, path ?? "");
      if (path === undefined || !(await isWritable(folder))) continue;
      homes.push({ folder, settings: { [name]: setting } });
    }
    return homes.length > 0 ? new Cgroups(homes) : null;
  }

  /** Counts the process and what it will start. Gives the controllers that took their limit: a kernel need not have all. */
  async admit(name: string, pid: number, limits: SandboxLimits): Promise<string[]> {
    const took: string[] = [];
    for (const { folder, settings } of this.#homes) {
      const group = join(folder, `${prefix}${process.pid}-${name}`);
      const set = async ([controller, [file, value]]: [string, Setting]) => {
        await writeFile(join(group, file), String(value(limits)));
        return controller;
      };
      try {
        await mkdir(group);
        const tried = await Promise.allSettled(Object.entries(settings).map(set));
        await writeFile(join(group, "cgroup.procs"), String(pid));
        for (const each of tried) if (each.status === "fulfilled") took.push(each.value);
      } catch {
        // Its other limits hold; the log says what was proven.
      }
    }
    return took;
  }

  /** What the kernel counted of its CPU time. */
  async cpuStat(name: string): Promise<string> {
    const home = this.#homes.find(({ settings }) => settings["cpu"]);
    return readFile(join(home?.folder ?? mounted, `${prefix}${process.pid}-${name}`, "cpu.stat"), "utf8");
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
  const took = await cgroups.admit(sandbox.id, pid, limits);
  sandbox.achieved = [...sandbox.achieved, ...took.map((name) => `cgroup-${name}`)];
  sandbox.removing(() => cgroups.remove(sandbox.id));
}

/** Removes what killed owners left of that. */
export async function sweepCounts(): Promise<void> {
  await (await groups)?.sweep();
}
