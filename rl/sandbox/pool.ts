import { ActorsError, type Logger, pause, withDeadline } from "../../runtime/index.js";
import type { SandboxBackend } from "./backend.js";
import type { SandboxProcess } from "./channel.js";
import { type Keeper, Lease } from "./lease.js";
import type { SandboxFile, SnapshotId } from "./sandbox.js";
import type { RunOptions, SandboxLimits } from "./session.js";
import { Snapshots, type Template } from "./snapshots.js";

const startsAtOnce = 4;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

export interface PoolOptions {
  backend: SandboxBackend;
  limits: SandboxLimits;
  /** Sandboxes kept running. */
  size: number;
  log: Logger;
}

export interface PoolStats {
  size: number;
  idle: number;
  leased: number;
  waiting: number;
  /** Sandboxes that ended without being asked to, and were replaced. */
  lost: number;
  checkouts: number;
  /** Kept workspaces, templates among them. */
  snapshots: number;
}

/** What a sandbox begins with: nothing, a snapshot, or a template; then files. */
export interface CreateOptions extends RunOptions {
  from?: SnapshotId;
  template?: Template;
  files?: readonly SandboxFile[];
}

/** Sandboxes kept warm: handed out at once, emptied when they come back, replaced when they break. */
export class SandboxPool implements Keeper {
  readonly #options: PoolOptions;
  readonly #all = new Set<SandboxProcess>();
  readonly #idle: SandboxProcess[] = [];
  readonly #waiting: ((sandbox: SandboxProcess) => void)[] = [];
  readonly #closing = new AbortController();
  readonly #snapshots = new Snapshots();
  #filling: Promise<void> | undefined;
  #lost = 0;
  #checkouts = 0;
  #lastFailure = "";

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Resolves when all are warm. */
  async start(): Promise<void> {
    await this.#fill();
  }

  /**
   * @throws ActorsError OVERLOADED, retryable, when none came free in time; its message says why none could start, if so.
   * NOT_FOUND for a snapshot that was dropped
   */
  async acquire({ from, template, files, ...wait }: CreateOptions = {}): Promise<Lease> {
    const start = template ? await this.template(template, wait) : from;
    if (start !== undefined) this.#snapshots.find(start);
    const sandbox = await this.#warm(wait);
    let lease = new Lease(sandbox, this);
    try {
      if (start !== undefined) lease = new Lease(sandbox, this, await this.#snapshots.restore(sandbox, start));
      if (files) await lease.write(...files);
      return lease;
    } catch (error) {
      lease.release().catch(() => {});
      throw error;
    }
  }

  /** Makes it unless it is made. */
  template(template: Template, wait: RunOptions = {}): Promise<SnapshotId> {
    return this.#snapshots.template(template, () => this.acquire(wait));
  }

  save(sandbox: SandboxProcess, shells: ReadonlyMap<string, string>): Promise<SnapshotId> {
    return this.#snapshots.save(sandbox, shells);
  }

  drop(snapshot: SnapshotId): Promise<void> {
    return this.#snapshots.drop(snapshot);
  }

  async #warm({ timeoutMs = 30_000, signal }: RunOptions): Promise<SandboxProcess> {
    if (this.#closing.signal.aborted) throw new ActorsError("ACTOR_STOPPED", "the sandbox pool is closed");
    this.#checkouts++;
    for (let ready = this.#idle.pop(); ready; ready = this.#idle.pop()) if (ready.alive) return ready;
    let turn: ((sandbox: SandboxProcess) => void) | undefined;
    const coming = new Promise<SandboxProcess>((resolve) => {
      turn = resolve;
      this.#waiting.push(resolve);
    });
    try {
      return await withDeadline(coming, timeoutMs, "a free sandbox", signal);
    } catch (cause) {
      const at = this.#waiting.indexOf(turn as never);
      if (at >= 0) this.#waiting.splice(at, 1);
      else coming.then((sandbox) => this.#offer(sandbox));
      if (signal?.aborted) throw cause;
      const { size } = this.#options;
      const why = this.#all.size < size ? `; starting one failed: ${this.#lastFailure}` : `, all ${size} are in use`;
      throw new ActorsError("OVERLOADED", `no sandbox within ${timeoutMs} ms${why}`, {
        cause,
        hint: "Give the pool more sandboxes, or run fewer episodes at once.",
      });
    }
  }

  stats(): PoolStats {
    const leased = this.#all.size - this.#idle.length;
    const { size } = this.#options;
    return {
      size,
      idle: this.#idle.length,
      leased,
      waiting: this.#waiting.length,
      lost: this.#lost,
      checkouts: this.#checkouts,
      snapshots: this.#snapshots.count,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#filling?.catch(() => {});
    await Promise.all([...this.#all].map((sandbox) => sandbox.end()));
    this.#options.backend.close();
  }

  /** Ends what still runs in it and empties it. One that cannot be emptied is replaced. */
  async takeBack(sandbox: SandboxProcess): Promise<void> {
    if (!sandbox.alive) return;
    const empty = async () => {
      await sandbox.workspaces.clear(sandbox);
      return sandbox.run([{ reset: {} }]);
    };
    const [emptied] = await empty().catch(() => []);
    if (emptied?.ok) this.#offer(sandbox);
    else sandbox.kill();
  }

  #offer(sandbox: SandboxProcess): void {
    if (!sandbox.alive || this.#closing.signal.aborted) return;
    const next = this.#waiting.shift();
    if (next) next(sandbox);
    else this.#idle.push(sandbox);
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#startMissing().finally(() => {
      this.#filling = undefined;
      if (this.#all.size < this.#options.size && !this.#closing.signal.aborted) this.#fill(); // one ended just now
    });
    return this.#filling;
  }

  async #startMissing(): Promise<void> {
    const { size, backend, limits, log } = this.#options;
    const { signal } = this.#closing;
    let backoffMs = firstBackoffMs;
    while (this.#all.size < size && !signal.aborted) {
      const count = Math.min(startsAtOnce, size - this.#all.size);
      const started = await Promise.allSettled(Array.from({ length: count }, () => backend.start(limits)));
      for (const result of started) {
        if (result.status === "fulfilled") {
          this.#add(result.value);
          backoffMs = firstBackoffMs;
        } else this.#lastFailure = (result.reason as Error).message;
      }
      if (started.every((result) => result.status === "fulfilled")) continue;
      log.warn(`a sandbox did not start, trying again in ${backoffMs} ms: ${this.#lastFailure}`);
      await pause(backoffMs, signal);
      backoffMs = Math.min(maxBackoffMs, backoffMs * 2);
    }
  }

  #add(sandbox: SandboxProcess): void {
    this.#all.add(sandbox);
    sandbox.ended.then((why) => {
      this.#all.delete(sandbox);
      const at = this.#idle.indexOf(sandbox);
      if (at >= 0) this.#idle.splice(at, 1);
      if (this.#closing.signal.aborted) return;
      this.#lost++;
      this.#options.log.warn(`sandbox ${sandbox.id} is lost (${why}); starting another`);
      this.#fill();
    });
    if (this.#closing.signal.aborted) sandbox.end();
    else this.#offer(sandbox);
  }
}
