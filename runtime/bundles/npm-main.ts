// Runs npm for a node, and ends it and all that it started once the node is gone or no longer wants it.
import { spawn } from "node:child_process";

const npm = spawn("npm", process.argv.slice(2), { stdio: ["ignore", "ignore", "inherit"], detached: true });
const end = (code: number) => {
  try {
    if (npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL"); // its group
  } catch {
    // nothing of it is left
  }
  process.exit(code);
};
process.on("SIGINT", () => {});
process.on("SIGTERM", () => end(1));
process.once("disconnect", () => end(1));
npm.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  end(127);
});
npm.once("exit", (code) => end(code ?? 1));
if (!process.connected) end(1);
