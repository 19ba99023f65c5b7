import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { ActorsError } from "../core/errors.js";

const greetMs = 500;
const listening = "0A"; // the state column of /proc/net/tcp

/** A port of loopback that is free now. Whoever wants it must be ready to lose it to another. */
export async function freePort(host?: string): Promise<number> {
  return listenOnce(0, host);
}

/** @throws ActorsError UNAVAILABLE that names the port and, where it can be known, who holds it */
export async function refuseTakenPort(port: number, host?: string): Promise<void> {
  try {
    await listenOnce(port, host);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE") throw takenError(port, cause);
    throw new ActorsError("UNAVAILABLE", `port ${port} cannot be used: ${(cause as Error).message}`, { cause, hint });
  }
}

const hint = "Choose another with --port, or leave it out for a free one.";

export function takenError(port: number, cause: unknown): ActorsError {
  const holder = portHolder(port);
  const by = holder ? ` by ${holder.command} (process ${holder.pid})` : "";
  return new ActorsError("UNAVAILABLE", `port ${port} is taken${by}`, { cause, hint, details: { port, ...holder } });
}

/** Who listens on a TCP port of this machine. Linux only, and only processes this user may look into. */
export function portHolder(port: number): { pid: number; command: string } | undefined {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeners(table, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const held = readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(socketInode(`/proc/${pid}/fd/${fd}`)));
      if (held) return { pid: Number(pid), command: readFileSync(`/proc/${pid}/comm`, "utf8").trim() };
    } catch {
      // another user's process, or one that just ended
    }
  }
  return undefined;
}

function listeners(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  try {
    const rows = readFileSync(table, "utf8").split("\n").slice(1);
    const columns = rows.map((row) => row.trim().split(/\s+/));
    return columns.filter((c) => c[1]?.endsWith(suffix) && c[3] === listening).map((c) => c[9]!);
  } catch {
    return [];
  }
}

function socketInode(fd: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(fd))?.[1] ?? "";
  } catch {
    return ""; // closed meanwhile
  }
}

/** True once a nats-server greets there, which it does before it asks for a key. */
export function natsGreets(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const end = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.setTimeout(greetMs, () => end(false));
    socket.once("data", (data) => end(data.toString("latin1").startsWith("INFO ")));
    socket.once("error", () => end(false));
    socket.once("end", () => end(false));
  });
}

function listenOnce(port: number, host = "127.0.0.1"): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(port, host, () => {
      const bound = (probe.address() as { port: number }).port;
      probe.close(() => resolve(bound));
    });
  });
}
