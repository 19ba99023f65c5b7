import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./errors.mjs";
import { readStamp, writeStamp } from "./fingerprint.mjs";
import { interrupted } from "./interrupts.mjs";
import { run, tail } from "./run.mjs";

/**
 * @param {string} root
 * @returns {import("./set-up.mjs").Step}
 */
export function npmStep(root) {
  const stamp = join(root, "node_modules", ".actors-stamp");
  const wanted = () =>
    createHash("sha256")
      .update(readFileSync(join(root, "package-lock.json")))
      .digest("hex");
  return {
    doing: "installing npm packages",
    isDone() {
      const now = wanted();
      if (readStamp(stamp) === now) return true;
      if (!matchesLock(root)) return false;
      writeStamp(stamp, now); // installed by hand
      return true;
    },
    async work() {
      const { code, output } = await run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"], {
        cwd: root,
        timeoutMs: 15 * 60_000,
      }).catch((error) => {
        interrupted.throwIfAborted();
        throw new SetupError(error.message, "npm comes with Node.js (Debian: apt install npm).");
      });
      if (code !== 0) {
        throw new SetupError(
          `npm ci failed:${tail(output)}`,
          "Is the network up, and a registry reachable? `npm ping` tells.",
        );
      }
      writeStamp(stamp, wanted());
      return "npm packages installed";
    },
  };
}

/**
 * Whether node_modules holds the versions of the lock file, by npm's own record of what it installed.
 * @param {string} root
 */
export function matchesLock(root) {
  /** @type {(path: string) => Record<string, { version?: string, integrity?: string, optional?: boolean }>} */
  const packages = (path) => JSON.parse(readFileSync(join(root, path), "utf8")).packages;
  try {
    const installed = packages("node_modules/.package-lock.json");
    return Object.entries(packages("package-lock.json")).every(([path, { version, integrity, optional }]) => {
      const has = installed[path];
      if (path === "") return true;
      if (!has) return optional === true; // for another platform
      return has.version === version && has.integrity === integrity;
    });
  } catch {
    return false;
  }
}
