import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * true in the module that `node` was told to run. Nodes load the same module to start its actors, so whatever a program
 * does at its top level belongs behind this.
 */
export function isMain(meta: ImportMeta): boolean {
  const program = process.argv[1];
  try {
    return program !== undefined && realpathSync(program) === realpathSync(fileURLToPath(meta.url));
  } catch {
    return false;
  }
}
