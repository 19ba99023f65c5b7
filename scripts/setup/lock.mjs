import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SetupError } from "./errors.mjs";
import { interrupted } from "./interrupts.mjs";

const pollMs = 100;

/**
 * Does the work while no other process does, on this machine. The lock of a process that has died is taken over.
 * @template T
 * @param {string} path of the lock file; it holds the pid of its owner
 * @param {number} timeoutMs
 * @param {(pid: number) => void} onWait told once, when another process holds it
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, timeoutMs, onWait, work) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  for (const until = Date.now() + timeoutMs; !take(path); await pause(pollMs)) {
    interrupted.throwIfAborted();
    const owner = ownerOf(path);
    if (owner === undefined) continue; // released this moment
    if (!isAlive(owner)) breakLock(path, owner);
    else if (Date.now() > until) {
      throw new SetupError(
        `another set-up (process ${owner}) has held ${path} for ${Math.round(timeoutMs / 60_000)} minutes`,
        "Wait for it, or end it and try again.",
      );
    } else if (!told) {
      told = true;
      onWait(owner);
    }
  }
  const release = () => {
    if (ownerOf(path) === process.pid) rmSync(path, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/**
 * The file appears with its content or not at all, so nobody reads a lock without an owner.
 * @param {string} path
 */
function take(path) {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * @param {string} path
 * @param {number} dead
 */
function breakLock(path, dead) {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
    // Someone else may have broken it and taken it since we looked: then it is theirs again.
    if (ownerOf(aside) !== dead) linkSync(aside, path);
  } catch {
    // gone already
  } finally {
    rmSync(aside, { force: true });
  }
}

/** @param {string} path */
function ownerOf(path) {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
