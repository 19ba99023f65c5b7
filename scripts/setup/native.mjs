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
  const now = () =>
    `${process.version} ${process.arch} ${fingerprint(root, ["native"], (path) => !/\.(ts|md)$/.test(path))}`;
  return {
    doing: "building the native module (a minute or two)",
    isDone: () => readStamp(stamp) === now(),
    async work() {
      const before = now();
      const { code, output } = await run(process.execPath, [join(root, "native", "build.mjs")], {
        cwd: root,
        timeoutMs: 30 * 60_000,
      });
      if (code !== 0) {
        throw new SetupError(
          `the native build failed:${tail(output)}`,
          "`./actors doctor` tells what is missing and how to get it.",
        );
      }
      writeStamp(stamp, before);
      return "native module built";
    },
  };
}
