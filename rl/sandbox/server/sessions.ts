import { randomBytes } from "node:crypto";
import { ActorsError, type Logger } from "../../../runtime/index.js";
import type { Image } from "../backend.js";
import type { Lease } from "../lease.js";
import type { SandboxPool } from "../pool.js";
import type { SnapshotId } from "../sandbox.js";
import { HttpError } from "./http.js";

export interface SessionOptions {
  pool: SandboxPool;
  /** Stopped when nothing was asked of it for so long. */
  idleMs: number;
  /** And after this in any case. */
  lifetimeMs: number;
  log: Logger;
}

const startMs = 50_000;

/** A sandbox of a client, from its start to its stop. A paused one is its workspace alone. */
export class Session {
  readonly id = randomBytes(12).toString("hex");
  readonly key = randomBytes(24).toString("base64url");
  readonly name: string;
  readonly image: string;
  /** Of every command. */
  readonly environment: Readonly<Record<string, string>>;
  readonly startedAt = Date.now();
  usedAt = Date.now();
  running = 0;
  state: { lease: Lease } | { snapshot: Promise<SnapshotId> } | null;

  constructor(name: string, image: string, environment: Record<string, string>, lease: Lease) {
    this.name = name;
    this.image = image;
    this.environment = environment;
    this.state = { lease };
  }

  get status(): "running" | "paused" | "stopped" {
    if (this.state === null || ("lease" in this.state && !this.state.lease.alive)) return "stopped";
    return "lease" in this.state ? "running" : "paused";
  }

  /** @throws HttpError 503 when it is paused; what `work` throws, of which 502 says that the sandbox is lost */
  async use<T>(work: (sandbox: Lease) => Promise<T>): Promise<T> {
    if (this.state && "snapshot" in this.state) throw new HttpError(503, "the runtime is paused: resume it");
    if (!this.state) throw new HttpError(404, "the runtime was stopped");
    this.running++;
    try {
      return await work(this.state.lease);
    } finally {
      this.running--;
      this.usedAt = Date.now();
    }
  }
}

/** The sessions of a server: each holds a sandbox of the pool, or a snapshot while it is paused. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #all = new Map<string, Session>();
  readonly #starting = new Map<string, Promise<Session>>();
  readonly #reaper: NodeJS.Timeout;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#reaper = setInterval(() => this.#reclaim(), Math.max(10, options.idleMs / 4)).unref();
  }

  /** One that runs under that name is given back as it is: a client that asks twice gets one. */
  start(name: string, image: Image | null, environment: Record<string, string>): Promise<Session> {
    const known = this.named(name);
    if (known?.status === "running") return Promise.resolve(known);
    if (known?.status === "paused")
      throw new HttpError(409, `session ${name} is paused: resume runtime ${known.id}, or stop it`);
    const coming = this.#starting.get(name);
    if (coming) return coming;
    const starting = this.#start(name, image, environment).finally(() => this.#starting.delete(name));
    this.#starting.set(name, starting);
    return starting;
  }

  async #start(name: string, image: Image | null, environment: Record<string, string>): Promise<Session> {
    const { pool, log } = this.#options;
    const lease = await pool.acquire({ timeoutMs: startMs, ...(image && { image }) });
    const session = new Session(name, image?.name ?? "", environment, lease);
    this.#all.set(session.id, session);
    log.info(`session ${name}: runtime ${session.id} starts on sandbox ${lease.id}`);
    return session;
  }

  /** @throws HttpError 404 */
  find(id: string): Session {
    const session = this.#all.get(id);
    if (session) return session;
    throw new HttpError(404, `there is no runtime ${id}`);
  }

  /** The newest of that name. */
  named(name: string): Session | undefined {
    return [...this.#all.values()].filter((session) => session.name === name).at(-1);
  }

  list(): Session[] {
    return [...this.#all.values()];
  }

  /** Keeps its workspace, folders and exported variables, and frees its sandbox; what runs in the background ends. */
  async pause(session: Session): Promise<void> {
    const { state } = session;
    if (!state) throw new HttpError(404, "the runtime was stopped");
    if ("snapshot" in state) return void (await state.snapshot);
    if (session.running > 0) throw new HttpError(409, "an action runs: it cannot be paused now");
    const snapshot = state.lease.snapshot();
    session.state = { snapshot }; // nothing is done in it from here on
    await snapshot.catch((error) => {
      session.state = state;
      throw error;
    });
    await state.lease.release();
  }

  async resume(session: Session): Promise<void> {
    const { state } = session;
    if (!state) throw new HttpError(404, "the runtime was stopped");
    if ("lease" in state) return;
    const { pool } = this.#options;
    const snapshot = await state.snapshot;
    const lease = await pool.acquire({ from: snapshot, timeoutMs: startMs });
    if (session.state !== state) return lease.release(); // stopped, or resumed by another
    session.state = { lease };
    session.usedAt = Date.now();
    await pool.drop(snapshot);
  }

  async stop(session: Session, why = "as asked"): Promise<void> {
    this.#all.delete(session.id);
    const { state } = session;
    session.state = null;
    if (!state) return;
    this.#options.log.info(`session ${session.name}: runtime ${session.id} is stopped, ${why}`);
    if ("lease" in state) await state.lease.release();
    else await this.#options.pool.drop(await state.snapshot);
  }

  async close(): Promise<void> {
    clearInterval(this.#reaper);
    await Promise.all(this.list().map((session) => this.stop(session, "the server ends").catch(() => {})));
  }

  #reclaim(): void {
    const now = Date.now();
    const { idleMs, lifetimeMs, log } = this.#options;
    for (const session of this.#all.values()) {
      const over = session.startedAt + lifetimeMs < now;
      const idle = session.running === 0 && session.usedAt + idleMs < now && session.status !== "paused";
      const lost = session.status === "stopped";
      if (!over && !idle && !lost) continue;
      const why = over ? "its lifetime is over" : idle ? "nobody used it" : "its sandbox is lost";
      this.stop(session, why).catch((error) => log.warn(ActorsError.from(error).message));
    }
  }
}
