import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ActorsError } from "../core/errors.js";
import { pause } from "../core/wait.js";
import { ending } from "./agent-process.js";
import type { Authority } from "./authority.js";
import { findNatsServer } from "./nats-binary.js";
import { freePort, natsGreets, refuseTakenPort, takenError } from "./ports.js";
import { type Routes, routesText } from "./routes.js";
import { type TlsFiles, tlsText } from "./tls.js";

export { findNatsServer } from "./nats-binary.js";

const readyMs = 10_000;
const stopMs = 3_000;
const maxPayload = 8 << 20;
const freePortTries = 3;

/** A nats-server of ours: JetStream on disk, loopback only, a user for each role. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Of the running server; 0 before the first start. */
  readonly pid: number;
  /** Told each time it ends and nobody asked it to. */
  onExit(told: (how: string) => void): void;
  /** Starts it again on the same port and store. @throws ActorsError UNAVAILABLE */
  restart(): Promise<void>;
  /** Idempotent. Resolves once the process is gone, at most 3 s and a kill later. */
  stop(): Promise<void>;
}

export interface NatsServerOptions {
  /** Folder of its config (no secret is in it), log and JetStream store. */
  dir: string;
  /** Default: a free one. */
  port?: number;
  /** Address it listens on. Default: loopback. */
  listen?: string | undefined;
  authority: Authority;
  tls?: TlsFiles | undefined;
  /** Of one of several servers. */
  routes?: Routes | undefined;
}

/** @throws ActorsError NOT_FOUND (no binary), UNAVAILABLE: port taken, or no answer in time (with its last log lines) */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const binary = findNatsServer();
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  if (options.port !== undefined) await refuseTakenPort(options.port, options.listen);
  for (let tries = 1; ; tries++) {
    const server = new Server(binary, options.port ?? (await freePort(options.listen)), options);
    try {
      await server.start(Date.now() + readyMs);
      return server;
    } catch (error) {
      await server.stop();
      // Another process may take a free port before the server does; a port that was asked for is the user's to change.
      if (!(error instanceof PortLost)) throw error;
      if (options.port !== undefined || tries === freePortTries) throw takenError(server.port, error);
    }
  }
}

class PortLost extends ActorsError {}

class Server implements NatsServer {
  readonly port: number;
  readonly #host: string;
  readonly #argv: string[];
  readonly #log: string;
  readonly #told: ((how: string) => void)[] = [];
  #child: ChildProcess | undefined;
  #stopped = false;

  constructor(binary: string, port: number, options: NatsServerOptions) {
    this.port = port;
    this.#host = options.listen ?? "127.0.0.1";
    const config = join(options.dir, "nats.conf");
    writeFileSync(config, configText(port, options), { mode: 0o600 });
    this.#argv = [...dyingWithOwner(), binary, "-c", config];
    this.#log = join(options.dir, "nats.log");
  }

  get url(): string {
    return `nats://${this.#host}:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  onExit(told: (how: string) => void): void {
    this.#told.push(told);
  }

  async restart(): Promise<void> {
    for (const until = Date.now() + readyMs; ; await pause(50)) {
      try {
        return await this.start(until);
      } catch (error) {
        // A passing connection of someone else may have been given the port meanwhile.
        if (!(error instanceof PortLost) || Date.now() > until) throw error;
      }
    }
  }

  async start(until: number): Promise<void> {
    if (this.#stopped) throw new ActorsError("CANCELLED", "nats-server was stopped while it started");
    const [command, ...args] = this.#argv as [string, ...string[]];
    const log = openSync(this.#log, "a", 0o600);
    const logStart = fstatSync(log).size;
    const env = { GOMAXPROCS: String(Math.max(1, availableParallelism() >> 1)), GOGC: "400", ...process.env };
    const child = spawn(command, args, { stdio: ["ignore", log, log], detached: true, env });
    closeSync(log);
    this.#child = child;
    let ready = false;
    let ended: string | undefined;
    const end = (how: string) => {
      ended = how;
      if (ready && !this.#stopped) for (const tell of this.#told) tell(how);
    };
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(ending(code, signal)));
    while (ended === undefined && Date.now() < until) {
      ready = await natsGreets(this.port, this.#host);
      if (ready && ended === undefined) return;
      await pause(10);
    }
    ready = false;
    child.kill("SIGKILL");
    const said = lastLines(this.#log, logStart);
    const how = ended === undefined ? `did not answer on port ${this.port} in time` : `ended ${ended}`;
    const Kind = said.includes("address already in use") ? PortLost : ActorsError;
    throw new Kind("UNAVAILABLE", `nats-server ${how}: ${said}`, { hint: `Its log is ${this.#log}.` });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
    await exited;
    clearTimeout(late);
  }
}

function configText(port: number, options: NatsServerOptions): string {
  const { dir, listen = "127.0.0.1", authority, routes, tls } = options;
  return [
    `host: ${listen}`,
    `port: ${port}`,
    authority.text,
    ...(routes ? [routesText(routes, tls)] : []),
    ...(tls ? [tlsText(tls, false)] : []),
    `jetstream { store_dir: ${JSON.stringify(join(dir, "jetstream"))} }`,
    `max_payload: ${maxPayload}`,
    `max_pending: ${64 << 20}`,
    'ping_interval: "5s"',
    "ping_max: 2",
    "",
  ].join("\n");
}

/**
 * On Linux the kernel ends the server when this process is gone, however it went. The shell between closes the gap in
 * which the owner dies before the kernel knows of the wish; it becomes the server, so the pid stays.
 */
function dyingWithOwner(): string[] {
  if (process.platform !== "linux") return [];
  try {
    execFileSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" });
  } catch {
    return [];
  }
  const script = 'test "$PPID" = "$0" && exec "$@"';
  return ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", script, String(process.pid)];
}

function lastLines(path: string, from: number): string {
  try {
    return (
      readFileSync(path).subarray(from).toString("utf8").trim().split("\n").slice(-3).join(" | ") || "its log is empty"
    );
  } catch {
    return "it wrote no log";
  }
}
