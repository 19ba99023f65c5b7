import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ActorsError, type Logger } from "../../runtime/index.js";
import { type BackendName, requireSandboxd, type SandboxBackend } from "./backend.js";
import { BubblewrapBackend } from "./bubblewrap.js";
import { sweepCounts } from "./cgroup.js";
import { sweepWorkspaces } from "./leftovers.js";
import { ProcessBackend } from "./process.js";
import type { SandboxLimits } from "./session.js";

const probeMs = 10_000;

/** What a live attempt inside a sandbox found on this machine; names are those of native/sandboxd/probe.cpp. */
export interface Guarantees {
  proven: string[];
  /** Name and what was possible. */
  missing: string[];
}

/** Starts one sandbox and tries from inside what must not work: nothing is promised that was not just seen to hold. */
export async function probe(backend: SandboxBackend, limits: SandboxLimits): Promise<Guarantees> {
  const folder = await mkdtemp(join(tmpdir(), "actors-probe-"));
  const secret = join(folder, "secret");
  const name = `actors-probe-${process.pid}-${Date.now()}`;
  const servers: Server[] = [];
  try {
    await writeFile(secret, "");
    await chmod(folder, 0o755); // anyone's to read: only not being there hides it
    const tcp = await listen(servers, { host: "127.0.0.1", port: 0 });
    await listen(servers, { path: `\0${name}` });
    const port = String((tcp.address() as { port: number }).port);
    const numbers = [limits.memoryMb, limits.processes, limits.diskMb].map(String);
    const argv = ["/proc/self/exe", "probe", port, name, String(process.pid), secret, ...numbers];
    const sandbox = await backend.start(limits);
    try {
      const [result] = await sandbox.run([{ exec: { argv, timeoutMs: probeMs } }]);
      if (!result?.ok || result.exitCode !== 0) {
        const why = result?.error || result?.signal || `status ${result?.exitCode}`;
        throw new ActorsError("UNAVAILABLE", `the self-test of the ${backend.name} sandbox failed: ${why}`);
      }
      const found: Guarantees = { proven: [], missing: [] };
      for (const line of Buffer.from(result.data).toString("utf8").trim().split("\n")) {
        const [what = "", answer, ...why] = line.split(" ");
        if (answer === "yes") found.proven.push(what);
        else found.missing.push(`${what} (${why.join(" ")})`);
      }
      found.proven.push(...sandbox.achieved.filter((name) => name === "seccomp" || name.startsWith("cgroup-")));
      return found;
    } finally {
      await sandbox.end();
    }
  } finally {
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function listen(servers: Server[], where: { path: string } | { host: string; port: number }): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  server.listen(where);
  await once(server, "listening");
  return server;
}

export interface Chosen {
  backend: SandboxBackend;
  guarantees: Guarantees;
}

/**
 * The strongest backend that works here, or the one asked for. The log says which, what was proven, and what was not.
 * @throws ActorsError UNAVAILABLE when none starts, with each one's reason
 */
export async function chooseBackend(wanted: BackendName | "auto", limits: SandboxLimits, log: Logger): Promise<Chosen> {
  await requireSandboxd();
  await Promise.all([sweepWorkspaces(log), sweepCounts()]);
  const candidates = [new BubblewrapBackend(), new ProcessBackend()].filter(
    (b) => wanted === "auto" || b.name === wanted,
  );
  const reasons: string[] = [];
  for (const backend of candidates) {
    try {
      const guarantees = await probe(backend, limits);
      const missing = guarantees.missing.length > 0 ? `; not: ${guarantees.missing.join(", ")}` : "";
      log.info(`sandboxes: ${backend.name}, proven here: ${guarantees.proven.join(", ")}${missing}`);
      if (backend.caveat) log.warn(backend.caveat);
      return { backend, guarantees };
    } catch (error) {
      backend.close();
      reasons.push((error as Error).message);
      log.warn(`sandboxes: ${backend.name} does not work here: ${(error as Error).message}`);
    }
  }
  throw new ActorsError("UNAVAILABLE", `no sandbox can be started: ${reasons.join("; ")}`, {
    retryable: false,
    hint: "Install bubblewrap (apt-get install bubblewrap) and allow unprivileged user namespaces.",
  });
}
