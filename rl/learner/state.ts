import { copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NativeError } from "../../native/index.js";

// A state of the learner is a folder with one file a rank: its shard of the weights and moments, and the update count.

export const shardFile = (folder: string, rank: number, world: number) =>
  join(folder, `shard-${rank}-of-${world}.safetensors`);

/** The files of a state, by rank. @throws NativeError CORRUPT_FILE for a folder that holds none */
export async function shardsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const worlds = names.map((name) => Number(/^shard-\d+-of-(\d+)\.safetensors$/.exec(name)?.[1] ?? 0));
  const world = Math.max(0, ...worlds);
  if (world === 0) throw new NativeError("CORRUPT_FILE", `${folder} holds no state of a learner`);
  return Array.from({ length: world }, (_, rank) => shardFile(folder, rank, world));
}

/** Copies a file beside its destination and renames it; on disk when it resolves. */
export async function copyDurably(from: string, to: string): Promise<void> {
  const next = `${to}.new`;
  await mkdir(dirname(to), { recursive: true });
  try {
    await copyFile(from, next);
    await sync(next);
    await rename(next, to);
    await sync(dirname(to));
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes what ranks of this prefix keep of versions up to `last`, but `kept`. */
export async function dropVersions(prefix: string, last: number, kept: number | null): Promise<void> {
  const [dir, start] = [dirname(prefix), basename(prefix)];
  for (const name of await readdir(dir)) {
    const version = name.startsWith(start)
      ? /^(?:state|weights)-(\d+)$/.exec(name.slice(start.length))?.[1]
      : undefined;
    if (version === undefined || Number(version) > last || Number(version) === kept) continue;
    await rm(join(dir, name), { recursive: true, force: true });
  }
}
