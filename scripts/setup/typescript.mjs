import { existsSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./errors.mjs";
import { fingerprint, readStamp, writeStamp } from "./fingerprint.mjs";
import { run, tail } from "./run.mjs";

export const layers = ["native", "runtime", "rl", "examples", "bench"];
const sources = [...layers, "protos/gen", "tsconfig.json", "tsconfig.base.json", "package-lock.json"];

/**
 * @param {string} root
 * @returns {import("./set-up.mjs").Step}
 */
export function typescriptStep(root) {
  const stamp = join(root, "dist", ".stamp");
  const now = () => fingerprint(root, sources, (path) => /\.(ts|json)$/.test(path));
  return {
    doing: "building TypeScript",
    isDone: () => readStamp(stamp) === now() && existsSync(join(root, "dist", "runtime")),
    async work() {
      const before = now(); // what is saved while the compiler runs must count as new
      const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
      const { code, output } = await run(process.execPath, [tsc, "-b", "--pretty", "false"], {
        cwd: root,
        timeoutMs: 10 * 60_000,
      });
      if (code !== 0)
        throw new SetupError(
          `the TypeScript build failed:${tail(output, 20)}`,
          "Mend the sources; `npm run build` shows all errors.",
        );
      writeStamp(stamp, before);
      return "TypeScript built";
    },
  };
}
