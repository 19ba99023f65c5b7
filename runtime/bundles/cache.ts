// The folder of a user's installed bundles on one machine: <hash>/ is whole once it is there. Beside it, for a time:
// <hash>.lock of who installs or removes it, <hash>.tmp-<pid>-* of what is not whole yet, <hash>.used-by-<pid>.
import { mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "../core/claim.js";
import { ActorsError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import { withLock } from "./lock.js";
import { bundlesDir, isHash, short } from "./names.js";
import { readJson } from "./pack.js";

const noteName = ".actors-bundle.json";
const removeMs = 10_000;

/** What an installed bundle keeps of itself. */
export interface Note {
  /** Name of the package. */
  job: string;
  /** On disk, with its node_modules. */
  bytes: number;
  /** Unix milliseconds. */
  installedAt: number;
  /** Of the install, milliseconds. */
  tookMs: number;
}

export interface Installed extends Note {
  hash: string;
  /** When an actor of it was last started here, Unix milliseconds. */
  usedAt: number;
  /** Processes of nodes, of any cluster, that host actors of it now. */
  users: number[];
}

/** Made if it is not there; without symbolic links, as modules see it. */
export function openCache(): string {
  mkdirSync(bundlesDir(), { recursive: true, mode: 0o700 });
  return realpathSync(bundlesDir());
}

export const lockOf = (cache: string, hash: string) => join(cache, `${hash}.lock`);

export const newFolder = (cache: string, hash: string) => join(cache, `${hash}.tmp-${process.pid}-${newId("")}`);

const markOf = (cache: string, hash: string) => join(cache, `${hash}.used-by-${process.pid}`);

/** @returns whether the bundle is installed; if so it counts as used now */
export function touch(cache: string, hash: string): boolean {
  try {
    utimesSync(join(cache, hash, noteName), new Date(), new Date());
    return true;
  } catch {
    return false;
  }
}

export const markUsed = (cache: string, hash: string) => writeFileSync(markOf(cache, hash), "");
export const unmark = (cache: string, hash: string) => rmSync(markOf(cache, hash), { force: true });

/** Puts a whole folder in its place. */
export async function settle(cache: string, hash: string, from: string, note: Omit<Note, "bytes">): Promise<void> {
  const whole: Note = { ...note, bytes: await sizeOf(from) };
  writeFileSync(join(from, noteName), `${JSON.stringify(whole)}\n`);
  renameSync(from, join(cache, hash));
}

export function listInstalled(cache = openCache()): Installed[] {
  sweep(cache);
  const names = readdirSync(cache);
  return names.filter(isHash).flatMap((hash) => {
    const path = join(cache, hash, noteName);
    try {
      const users = names.filter((name) => name.startsWith(`${hash}.used-by-`)).map(pidIn);
      return { ...readJson<Note>(path), hash, usedAt: statSync(path).mtimeMs, users };
    } catch {
      return []; // it is being removed
    }
  });
}

/**
 * @returns false when it is not installed here
 * @throws ActorsError UNAVAILABLE while a node hosts actors of it
 */
export async function removeInstalled(hash: string, cache = openCache()): Promise<boolean> {
  const on = {
    what: `the removal of bundle ${short(hash)}`,
    timeoutMs: removeMs,
    signal: AbortSignal.timeout(removeMs),
  };
  return withLock(lockOf(cache, hash), on, async () => {
    const found = listInstalled(cache).find((each) => each.hash === hash);
    if (!found) return false;
    if (found.users.length > 0) {
      throw new ActorsError("UNAVAILABLE", `bundle ${short(hash)} is in use by process ${found.users.join(", ")}`, {
        hint: "Stop the actors that run from it first; `actors ps` shows them.",
      });
    }
    const aside = newFolder(cache, hash); // never half of it in its place
    renameSync(join(cache, hash), aside);
    await rm(aside, { recursive: true, force: true, maxRetries: 3 });
    return true;
  });
}

/** Removes what killed processes left. */
export function sweep(cache: string): void {
  for (const name of readdirSync(cache)) {
    if (!ofProcess.test(name) || isAlive(pidIn(name))) continue;
    rmSync(join(cache, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

const ofProcess = /\.(?:tmp-|used-by-|lock\.)(\d+)/;
const pidIn = (name: string) => Number(ofProcess.exec(name)![1]);

/** Links are not followed: the runtime is one. */
async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true });
  const sizes = entries.map(async (entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return sizeOf(path);
    return entry.isFile() ? (await lstat(path)).size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
