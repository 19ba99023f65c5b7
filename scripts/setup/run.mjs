import { spawn } from "node:child_process";
import { SetupError } from "./errors.mjs";
import { interrupted } from "./interrupts.mjs";

const keptBytes = 16_000;

/**
 * Runs a command to its end and answers how it ended with the last 16 kB it said. At a signal, and when it takes too
 * long, it is killed with all it started.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs: number }} options
 * @returns {Promise<{ code: number | null, output: string }>} code null: killed by a signal or by the timeout
 */
export function run(command, args, { timeoutMs, ...options }) {
  return new Promise((resolve, reject) => {
    interrupted.throwIfAborted();
    // A process group of its own, so that it can be killed as a whole.
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const kill = () => killGroup(child.pid);
    const late = setTimeout(kill, timeoutMs);
    interrupted.addEventListener("abort", kill);
    const settled = () => {
      clearTimeout(late);
      interrupted.removeEventListener("abort", kill);
    };
    let output = "";
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk).slice(-keptBytes);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (cause) => {
      settled();
      const missing = /** @type {NodeJS.ErrnoException} */ (cause).code === "ENOENT";
      reject(
        new SetupError(missing ? `there is no ${command} on the PATH` : `cannot run ${command}: ${cause.message}`, ""),
      );
    });
    child.once("close", (code) => {
      settled();
      if (interrupted.aborted) reject(interrupted.reason);
      else resolve({ code, output });
    });
  });
}

/** @param {number | undefined} leader */
function killGroup(leader) {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // it has ended
  }
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
