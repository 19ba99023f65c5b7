import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Changes when a file comes, goes, or is written. Reads names, sizes and times only: a few milliseconds for this tree.
 * @param {string} root
 * @param {string[]} paths files and folders below root; what is not there counts as empty
 * @param {(path: string) => boolean} [wanted] of files, by path below root
 */
export function fingerprint(root, paths, wanted = () => true) {
  const hash = createHash("sha256");
  /** @param {string} path */
  const visit = (path) => {
    const full = join(root, path);
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      for (const name of readdirSync(full).sort()) if (!skipped.has(name)) visit(`${path}/${name}`);
    } else if (found && wanted(path)) {
      const { size, mtimeMs } = found.isSymbolicLink() ? (statSync(full, { throwIfNoEntry: false }) ?? found) : found;
      hash.update(`${path}\0${size}\0${mtimeMs}\n`);
    }
  };
  for (const path of paths) visit(path);
  return hash.digest("hex");
}

const skipped = new Set(["build", "node_modules", ".git", "dist"]);

/** @param {string} path */
export function readStamp(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * @param {string} path
 * @param {string} stamp
 */
export function writeStamp(path, stamp) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, stamp);
}
