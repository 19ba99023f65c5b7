import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isAlive } from "../core/claim.js";
import type { ClusterFile } from "./state.js";

/** Where files live in memory; a plain temporary folder on systems without one. */
export function sharedMemoryDir(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}

/** Carries the pid of this process, so that any later start finds what a killed one left. */
export const sharedMemoryPrefix = (id: string) => `${sharedMemoryDir()}/actors-${process.pid}-${id}-`;

/** Removes shared memory, scratch folder and JetStream store of a cluster whose processes have ended. */
export function removeRemains(cluster: ClusterFile): void {
  removeByPrefix(cluster.shmPrefix);
  rmSync(cluster.dir, { recursive: true, force: true });
  rmSync(join(cluster.stateDir, "nats"), { recursive: true, force: true });
}

export function removeByPrefix(prefix: string): void {
  const dir = dirname(prefix);
  for (const name of readdirSync(dir)) {
    if (name.startsWith(basename(prefix))) rmSync(join(dir, name), { recursive: true, force: true });
  }
}

/** What launchers that were killed left. */
export function removeStaleRemains(): void {
  removeByLauncher((pid) => !isAlive(pid));
}

/** Shared memory and scratch folders carry the pid of their launcher. */
export function removeByLauncher(wanted: (pid: number) => boolean): void {
  for (const dir of new Set([sharedMemoryDir(), tmpdir()])) {
    for (const name of readdirSync(dir)) {
      const owner = /^actors-(\d+)-/.exec(name)?.[1];
      if (owner && wanted(Number(owner))) rmSync(join(dir, name), { recursive: true, force: true });
    }
  }
}
