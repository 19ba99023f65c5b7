import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import { isLeftOut, never, type Rules, rulesAbove, rulesOf } from "./ignore.js";
import { installsOf, lockName, type Manifest, manifestName } from "./manifest.js";

/** Of a bundle's files together. Data belongs into files that the nodes share, not into code. */
export const maxBundleBytes = 64 << 20;
const named = 5; // files that an error lists

export interface Packed {
  hash: string;
  /** Name of the package. */
  job: string;
  /** Their paths. */
  files: ReadonlySet<string>;
  /** An encoded Bundle. */
  bytes: Uint8Array;
}

interface Found {
  path: string;
  bytes: number;
  executable: boolean;
}

export const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/**
 * The files of a package: what .actorsignore, else .gitignore, does not leave out, and in any case package.json, the lock
 * file and the folder of the module, which may be a build that git ignores. Never node_modules.
 * @throws ActorsError INVALID_ARGUMENT: too large, a symbolic link, or dependencies without a lock file
 */
export async function pack(root: string, module: string, limit = maxBundleBytes): Promise<Packed> {
  const { name } = checkLocked(root);
  const found: Found[] = [];
  await collect(root, rulesOf(root, rulesAbove(root)), { root, module, found });
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limit) throw tooLarge(root, found, total, limit);
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = await Promise.all(
    found.map(async ({ path, executable }) => ({ path, executable, content: await readFile(join(root, path)) })),
  );
  const bytes = actors.v1.Bundle.encode({ files }).finish();
  return { hash: hashOf(bytes), job: name ?? "", files: new Set(found.map(({ path }) => path)), bytes };
}

async function collect(dir: string, rules: Rules, to: { root: string; module: string; found: Found[] }): Promise<void> {
  const { root, module, found } = to;
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (never.has(entry.name)) continue;
    const path = join(dir, entry.name);
    const needed = dir === root && (entry.name === manifestName || entry.name === lockName);
    const leadsToModule = module === path || module.startsWith(path + sep);
    const out = isLeftOut(path, entry.isDirectory(), rules);
    if (out && !needed && !leadsToModule) continue;
    if (entry.isDirectory()) await collect(path, out ? [] : rulesOf(path, rules), to);
    else if (entry.isSymbolicLink()) {
      throw new ActorsError("INVALID_ARGUMENT", `${path} is a symbolic link, which a job bundle cannot hold`, {
        hint: "Put a copy in its place, or list it in .actorsignore.",
      });
    } else if (entry.isFile()) {
      const { size, mode } = await stat(path);
      found.push({ path: relative(root, path).split(sep).join("/"), bytes: size, executable: (mode & 0o100) !== 0 });
    }
  }
}

const manifest = (root: string) => readJson<Manifest>(join(root, manifestName));

function checkLocked(root: string): Manifest {
  const found = manifest(root);
  if (installsOf(found).length === 0 || existsSync(join(root, lockName))) return found;
  throw new ActorsError("INVALID_ARGUMENT", `${root} has dependencies but no ${lockName}, so nodes cannot install it`, {
    hint: "`npm install` in that folder writes one.",
  });
}

export function readJson<T>(path: string): T {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

function tooLarge(root: string, found: readonly Found[], total: number, limit: number): ActorsError {
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const largest = [...found].sort((a, b) => b.bytes - a.bytes).slice(0, named);
  const list = largest.map(({ path, bytes }) => `${path} (${mb(bytes)})`).join(", ");
  return new ActorsError(
    "INVALID_ARGUMENT",
    `the files of ${root} are ${mb(total)}, over the ${mb(limit)} of a job bundle; the largest: ${list}`,
    { hint: "List data and what else the code does not need in .actorsignore." },
  );
}
