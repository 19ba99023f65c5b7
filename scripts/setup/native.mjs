import { existsSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./errors.mjs";
import { fingerprint, readStamp, writeStamp } from "./fingerprint.mjs";
import { run, tail } from "./run.mjs";

/**
 * @param {string} root
 * @returns {import("./set-up.mjs").Step}
 */
export function nativeStep(root) {
  const stamp = join(root, "native", "build", ".stamp");
  const product = join(root, "native", "build", "actors_native.node");
  const now = () =>
    `${process.version} ${process.arch} ${fingerprint(root, ["native"], (path) => !/\.(ts|md)$/.test(path))}`;
  return {
    doing: "building the native module (a minute or two)",
    isDone: () => readStamp(stamp) === now() && existsSync(product),
    async work() {
      const before = now();
      const { code, output } = await run(process.execPath, [join(root, "native", "build.mjs")], {
        cwd: root,
        timeoutMs: 30 * 60_000,
      });
      if (code !== 0) {
        const said = output.trim();
        const why = said.includes("\n") ? `the native build failed:${tail(said)}` : said; // it explains itself in a sentence
        throw new SetupError(why, "`./actors doctor` tells what is missing and how to get it.");
      }
      writeStamp(stamp, before);
      return output.trim() && "native module built"; // it says nothing when it had nothing to do
    },
  };
}
