import { spawn } from "node:child_process";
import { SetupError } from "./errors.mjs";

const keptBytes = 16_000;

/**
 * Runs a command to its end and answers how it ended with the last 16 kB it said.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs: number }} options
 * @returns {Promise<{ code: number | null, output: string }>} code null: killed by a signal or by the timeout
 */
export function run(command, args, { timeoutMs, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const late = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    let output = "";
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk).slice(-keptBytes);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (cause) => {
      clearTimeout(late);
      const missing = /** @type {NodeJS.ErrnoException} */ (cause).code === "ENOENT";
      reject(
        new SetupError(missing ? `there is no ${command} on the PATH` : `cannot run ${command}: ${cause.message}`, ""),
      );
    });
    child.once("close", (code) => {
      clearTimeout(late);
      resolve({ code, output });
    });
  });
}

/**
 * The last lines of a command's output, indented, for a message.
 * @param {string} output
 */
export const tail = (output, lines = 15) =>
  output
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .map((line) => `\n    ${line}`)
    .join("");
