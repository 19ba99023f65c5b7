import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeStateDir, stateDirName } from "../cluster/state.js";
import { ActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";

const upMs = 60_000;

/**
 * Runs `up` of this program in a process of its own that outlives this one and the terminal, and waits until its cluster is up.
 * @param args of `up`, without those that detach
 * @returns pid and log of the process
 * @throws ActorsError START_FAILED in the words of its log
 */
export async function detach(args: string[], cwd: string): Promise<{ pid: number; log: string }> {
  makeStateDir(join(cwd, stateDirName));
  const logs = join(cwd, stateDirName, "logs");
  mkdirSync(logs, { recursive: true });
  const log = join(logs, "up.log");
  const out = openSync(log, "w", 0o600);
  const child = spawn(process.execPath, [process.argv[1]!, "up", ...args], {
    cwd,
    detached: true,
    stdio: ["ignore", out, out, "ipc"],
  });
  closeSync(out);
  const up = new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    const failed = (how: string) =>
      reject(new ActorsError("START_FAILED", reason(log) ?? how, { hint: `Its log is ${log}.` }));
    child.once("error", (cause) => failed(cause.message));
    child.once("exit", (code, signal) => failed(`it ended ${signal ? `on ${signal}` : `with exit code ${code}`}`));
  });
  try {
    await withDeadline(up, upMs, "the start of the cluster");
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
  return { pid: child.pid!, log };
}

/** The sentence that a failed `up` left. */
function reason(log: string): string | undefined {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return lines.findLast((line) => line.startsWith("actors: "))?.slice("actors: ".length);
}
