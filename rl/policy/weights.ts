import { readFile, rename, writeFile } from "node:fs/promises";
import { actors } from "#protos";

/** Where one version of the weights lies. */
export interface WeightsRef {
  version: number;
  path: string;
  bytes: number;
  checksum: string;
}

const pointerPath = (prefix: string) => `${prefix}weights-latest`;

/** Names the version that is in force, so that a restarted policy finds it by itself. Replaced in one step. */
export async function pointToWeights(prefix: string, ref: WeightsRef): Promise<void> {
  const path = pointerPath(prefix);
  await writeFile(`${path}.new`, actors.v1.WeightsRef.encode(ref).finish());
  await rename(`${path}.new`, path);
}

/** The version in force, or null before the first. */
export async function latestWeights(prefix: string): Promise<WeightsRef | null> {
  try {
    const { version, path, bytes, checksum } = actors.v1.WeightsRef.decode(await readFile(pointerPath(prefix)));
    return { version, path, bytes, checksum };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
