import { spawnSync } from "node:child_process";
import { makeLogger } from "../../runtime/index.js";
import type { SandboxBackend } from "./backend.js";
import { BubblewrapBackend } from "./bubblewrap.js";
import { ProcessBackend } from "./process.js";
import type { OpResult } from "./session.js";

export const log = makeLogger("test", "fatal");
const text = new TextDecoder();
const bytes = new TextEncoder();

/** Null where bubblewrap works, else why its tests are skipped. */
export function noBubblewrap(): string | null {
  const found = spawnSync("bwrap", ["--version"]);
  if (found.error) return "bubblewrap is not installed";
  const tried = spawnSync("bwrap", [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--ro-bind",
    "/",
    "/",
    "true",
  ]);
  return tried.status === 0 ? null : `bubblewrap does not work here: ${tried.stderr}`;
}

/** Both, and why a test of it must be skipped. */
export function backends(): { backend: SandboxBackend; skip: string | false }[] {
  return [
    { backend: new BubblewrapBackend(), skip: noBubblewrap() ?? false },
    { backend: new ProcessBackend(), skip: false },
  ];
}

export const file = (path: string, content = "", mode = 0) => ({ path, content: bytes.encode(content), mode });
export const sh = (script: string, timeoutMs = 5_000) => ({ exec: { argv: ["/bin/sh", "-c", script], timeoutMs } });
export const out = (result: OpResult | undefined) => text.decode(result?.data);
export const errno = (result: OpResult | undefined) => (result?.ok ? "ok" : (result?.error ?? "").split(":")[0]);

/** Waits until `check` holds; what it waits for is another process. */
export async function until(check: () => boolean | Promise<boolean>, what: string, timeoutMs = 5_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await check()); ) {
    if (Date.now() > end) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
