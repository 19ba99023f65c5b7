import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";

const main = fileURLToPath(new URL("./npm-main.js", import.meta.url));
const installMs = 300_000;
const tailBytes = 2_000;
const flags = ["--omit=dev", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

/**
 * `npm ci` in that folder. It ends with this process, however that ends.
 * @param scripts whether the packages' install scripts run
 * @throws ActorsError START_FAILED with npm's last lines, DEADLINE_EXCEEDED, CANCELLED
 */
export async function npmInstall(
  dir: string,
  { scripts, what, signal }: { scripts: boolean; what: string; signal: AbortSignal },
): Promise<void> {
  const args = ["ci", ...flags, ...(scripts ? [] : ["--ignore-scripts"])];
  // What npm told its own children, when it is npm that runs us, is not for another npm.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const child = fork(main, args, { cwd: dir, env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-tailBytes);
  });
  // Not the child's own `close`, which never comes once this side has disconnected.
  const ended = Promise.all([once(child, "exit") as Promise<[number | null]>, once(child.stderr!, "close")]);
  try {
    const [[code]] = await withDeadline(ended, installMs, `npm ci for ${what}`, signal);
    if (code === 0) return;
    const hint = scripts ? "" : " Install scripts do not run unless package.json has actors.installScripts: true.";
    throw new ActorsError("START_FAILED", `npm ci for ${what} failed: ${said.trim() || `exit code ${code}`}`, {
      details: { exitCode: code, stderrTail: said },
      hint: `Does \`npm ci\` succeed in the job's folder, and is npm on the node?${hint}`,
    });
  } finally {
    if (child.connected) child.disconnect();
    await ended.catch(() => {});
  }
}
