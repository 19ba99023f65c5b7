import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type ClusterFile, stateDirName } from "../cluster/state.js";
import { lockName, manifestName } from "./manifest.js";
import { runtimeRoot } from "./names.js";

/**
 * The folder to ship so that nodes can load a module.
 * @param wanted true: in any case; false: never; undefined: only when the nodes have it not at hand, for it is neither
 * of the runtime's own package nor in the folder where a cluster of this machine alone was started
 * @returns undefined when nothing is shipped: nodes load the module from where it is
 */
export function jobOf(
  module: string,
  { stateDir, listen }: ClusterFile,
  wanted: boolean | undefined,
): string | undefined {
  if (wanted === false || !module.startsWith("file:")) return undefined;
  const file = fileURLToPath(module);
  const within = (dir: string) => file.startsWith(dir + sep);
  if (within(runtimeRoot)) return undefined;
  const folder = basename(stateDir) === stateDirName ? dirname(stateDir) : stateDir;
  if (!wanted && listen === undefined && within(realpathSync(folder))) return undefined;
  return packageRoot(file);
}

/**
 * The folder of the package that a file belongs to: the nearest one up whose package.json has a name or a lock file beside
 * it, outside of any node_modules.
 */
export function packageRoot(file: string): string | undefined {
  const own = file.split(`${sep}node_modules${sep}`, 1)[0]!;
  for (let dir = own === file ? dirname(file) : own; ; dir = dirname(dir)) {
    if (isRoot(dir)) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}

function isRoot(dir: string): boolean {
  const manifest = join(dir, manifestName);
  if (!existsSync(manifest)) return false;
  return existsSync(join(dir, lockName)) || /"name"\s*:/.test(readFileSync(manifest, "utf8"));
}
