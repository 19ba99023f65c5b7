import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ActorsError, type Logger } from "../../runtime/index.js";
import { type Guarantees, type Image, requireSandboxd, type SandboxBackend } from "./backend.js";
import { BubblewrapBackend } from "./bubblewrap.js";
import { sweepCounts } from "./cgroup.js";
import { ContainerBackend } from "./container.js";
import { sweepWorkspaces } from "./leftovers.js";
import type { BackendName, PullPolicy } from "./names.js";
import { ProcessBackend } from "./process.js";
import { RemoteBackend, type RemoteServer } from "./remote.js";
import type { SandboxLimits } from "./session.js";

const probeMs = 10_000;

/** Starts one sandbox and tries from inside what must not work: nothing is promised that was not just seen to hold. */
export async function probe(backend: SandboxBackend, limits: SandboxLimits, image?: Image | null): Promise<Guarantees> {
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
    const sandbox = await backend.start(limits, image);
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

export interface BackendOptions {
  /** Default: auto, the strongest that works. */
  backend?: BackendName | "auto";
  /** For sandboxes that name none; what backends without images refuse. */
  image?: Image | null;
  /** Default: never. */
  pull?: PullPolicy;
  /** Of the remote backend. */
  server?: RemoteServer | null;
}

/**
 * The strongest backend that works here, or the one asked for. The log says which, what was proven, and what was not.
 * @throws ActorsError UNAVAILABLE when none starts, with each one's reason
 */
export async function chooseBackend(
  { backend: wanted = "auto", image = null, pull = "never", server = null }: BackendOptions,
  limits: SandboxLimits,
  log: Logger,
): Promise<Chosen> {
  if (wanted !== "remote") await requireSandboxd();
  await Promise.all([sweepWorkspaces(log), sweepCounts()]);
  const reasons: string[] = [];
  for (const name of wanted === "auto" ? strongestFirst : [wanted]) {
    const backend = makers[name]({ pull, server, log });
    try {
      const guarantees = await (backend.guarantees?.() ?? probe(backend, limits, image));
      const missing = guarantees.missing.length > 0 ? `; not: ${guarantees.missing.join(", ")}` : "";
      log.info(`sandboxes: ${backend.name}, proven here: ${guarantees.proven.join(", ")}${missing}`);
      if (backend.caveat) log.warn(backend.caveat);
      return { backend, guarantees };
    } catch (error) {
      backend.close();
      const why = error instanceof ActorsError ? error.rawMessage : (error as Error).message;
      reasons.push(why);
      log.warn(`sandboxes: ${backend.name} does not work here: ${why}`);
    }
  }
  throw new ActorsError("UNAVAILABLE", `no sandbox can be started: ${reasons.join("; ")}`, {
    retryable: false,
    hint: image
      ? `An image needs docker or podman, with its engine running.`
      : "Install bubblewrap (apt-get install bubblewrap) and allow unprivileged user namespaces.",
  });
}

/** What is tried when none is named. Another machine is only used when told to. */
const strongestFirst = ["bubblewrap", "docker", "podman", "process"] as const;

type Make = (options: { pull: PullPolicy; server: RemoteServer | null; log: Logger }) => SandboxBackend;
const makers: Record<BackendName, Make> = {
  bubblewrap: () => new BubblewrapBackend(),
  docker: (options) => new ContainerBackend("docker", options),
  podman: (options) => new ContainerBackend("podman", options),
  remote: ({ server }) => new RemoteBackend(server),
  process: () => new ProcessBackend(),
};
