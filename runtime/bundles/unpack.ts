import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";

/**
 * Writes a bundle's files into a new folder. A bundle has files only, no links.
 * @throws ActorsError INVALID_ARGUMENT for a path that leads elsewhere
 */
export async function unpack(bytes: Uint8Array, dir: string): Promise<void> {
  const files = actors.v1.Bundle.decode(bytes).files.map((file) => new actors.v1.BundleFile(file));
  for (const { path } of files) {
    if (isInside(path)) continue;
    throw new ActorsError("INVALID_ARGUMENT", `a bundle cannot hold a file ${JSON.stringify(path)}`);
  }
  for (const { path, content, executable } of files) {
    const to = join(dir, path);
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, content, { flag: "wx", mode: executable ? 0o755 : 0o644 });
  }
}

/** node_modules is the install's alone. */
function isInside(path: string): boolean {
  const parts = path.split("/");
  return (
    !/[\\\0]/.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..") &&
    parts[0] !== "node_modules"
  );
}
