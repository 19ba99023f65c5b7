import { existsSync } from "node:fs";
import { copyFile, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newFolder, settle } from "./cache.js";
import {
  installsOf,
  type LockFile,
  lockName,
  lockWithoutRuntime,
  type Manifest,
  manifestName,
  runtimeName,
  withoutRuntime,
} from "./manifest.js";
import { runtimeRoot } from "./names.js";
import { npmInstall } from "./npm.js";
import { readJson } from "./pack.js";
import { unpack } from "./unpack.js";

/**
 * Unpacks a bundle, installs what its lock file names, and gives it the node's own runtime as its package `actors`.
 * @throws ActorsError START_FAILED (npm's last lines), INVALID_ARGUMENT (not a job), DEADLINE_EXCEEDED, CANCELLED
 */
export async function install(
  bytes: Uint8Array,
  { cache, hash, signal }: { cache: string; hash: string; signal: AbortSignal },
): Promise<void> {
  const installedAt = Date.now();
  const dir = newFolder(cache, hash);
  try {
    await mkdir(dir, { mode: 0o700 });
    await unpack(bytes, dir);
    const manifest = readJson<Manifest>(join(dir, manifestName));
    const job = manifest.name ?? "";
    const scripts = manifest.actors?.installScripts === true;
    if (installsOf(manifest).length > 0 || scripts) {
      await withLockedFiles(dir, manifest, () => npmInstall(dir, { scripts, signal, what: `job ${job}` }));
    }
    const modules = join(dir, "node_modules");
    await mkdir(modules, { recursive: true });
    await rm(join(modules, runtimeName), { recursive: true, force: true });
    await symlink(runtimeRoot, join(modules, runtimeName));
    await settle(cache, hash, dir, { job, installedAt, tookMs: Date.now() - installedAt });
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** npm sees the job's files without the runtime, which may be a link to a folder that only the job's author has. */
async function withLockedFiles(dir: string, manifest: Manifest, step: () => Promise<void>): Promise<void> {
  const own = [manifestName, lockName].map((name) => join(dir, name)).filter((path) => existsSync(path));
  for (const path of own) await copyFile(path, `${path}.own`);
  await writeFile(join(dir, manifestName), JSON.stringify(withoutRuntime(manifest)));
  if (existsSync(join(dir, lockName)))
    await writeFile(join(dir, lockName), JSON.stringify(lockWithoutRuntime(readJson<LockFile>(join(dir, lockName)))));
  await step();
  for (const path of own) await rename(`${path}.own`, path);
}
