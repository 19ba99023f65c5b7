import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("./testing-main.js", import.meta.url));
const limitMs = 30_000;

/** Runs one command in a process of its own, on the cluster of that file. */
export async function runCli(clusterFile: string, ...args: string[]) {
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ACTORS_CLUSTER: clusterFile },
    timeout: limitMs,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [status] = (await once(child, "close")) as [number | null];
  return { status, stdout, stderr, ms: performance.now() - started };
}
