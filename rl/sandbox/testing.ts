import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { makeLogger } from "../../runtime/index.js";
import type { Image, SandboxBackend } from "./backend.js";
import { BubblewrapBackend } from "./bubblewrap.js";
import { ContainerBackend } from "./container.js";
import type { EngineName } from "./engine.js";
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

export interface Tested {
  backend: SandboxBackend;
  /** For its starts and its pools. */
  image: Image | null;
  skip: string | false;
}

/** All of this machine, and why a test of one must be skipped. */
export function backends(): Tested[] {
  const container = (name: EngineName): Tested => {
    const skip = noEngine(name) ?? noTestImage(name, testImage.name) ?? false;
    return { backend: new ContainerBackend(name, { log }), image: testImage, skip };
  };
  return [
    { backend: new BubblewrapBackend(), image: null, skip: noBubblewrap() ?? false },
    { backend: new ProcessBackend(), image: null, skip: false },
    container("docker"),
    container("podman"),
  ];
}

export const testImage: Image = { name: "actors-sandbox-test:1" };

export function noEngine(name: EngineName): string | null {
  const asked = spawnSync(name, name === "docker" ? ["version"] : ["info"], { timeout: 20_000 });
  if (asked.error) return `${name} is not installed`;
  return asked.status === 0 ? null : `${name} is installed but its engine does not answer`;
}

/** Null once the engine has it and runs it. Made from programs of this machine; with what is in `folder` on top. */
export function noTestImage(engine: EngineName, name: string, folder = ""): string | null {
  const failed = ({ status, stderr }: { status: number | null; stderr: string }, what: string) =>
    status === 0 ? null : `${what}: ${stderr.trim().split("\n").at(-1)}`;
  if (spawnSync(engine, ["image", "inspect", name]).status !== 0) {
    const script = fileURLToPath(new URL("../../../rl/sandbox/test-image.sh", import.meta.url));
    const made = spawnSync("bash", [script, engine, name, folder], { encoding: "utf8", timeout: 120_000 });
    const why = failed(made, `no image can be made for ${engine}`);
    if (why) return why;
  }
  const limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096", "--network", "none"];
  const run = spawnSync(engine, ["run", "--rm", ...limits, name, "/usr/bin/true"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return failed(run, `${engine} starts no containers here`);
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
