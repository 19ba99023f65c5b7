import { ActorsError, isActorsError, type Logger, pause, withDeadline } from "../../runtime/index.js";
import type { Image, SandboxBackend } from "./backend.js";
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
  /** Of those that name none. Default: null, for a backend without images. */
  image?: Image | null;
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
  /** Default: that of the snapshot or template, else the pool's. */
  image?: Image | null;
  from?: SnapshotId;
  template?: Template;
  files?: readonly SandboxFile[];
}

interface Waiting {
  image: Image | null;
  resolve(sandbox: SandboxProcess): void;
  reject(error: ActorsError): void;
}

/**
 * Sandboxes kept warm: handed out at once, emptied when they come back, replaced when they break. One of an image that none is
 * warm of is started in the place of an idle one.
 */
export class SandboxPool implements Keeper {
  readonly #options: PoolOptions;
  readonly #image: Image | null;
  readonly #all = new Set<SandboxProcess>();
  /** Ended by us: no loss. */
  readonly #retired = new WeakSet<SandboxProcess>();
  /** Newest last. */
  readonly #idle: SandboxProcess[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  readonly #snapshots = new Snapshots();
  #filling: Promise<void> | undefined;
  #lost = 0;
  #checkouts = 0;
  #lastFailure = "";

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#image = options.image ?? null;
  }

  /** Resolves when all are warm. */
  async start(): Promise<void> {
    await this.#fill();
  }

  /**
   * @throws ActorsError OVERLOADED, retryable, when none came free in time; its message says why none could start, if so.
   * NOT_FOUND for a snapshot that was dropped, or an image that is not there; INVALID_ARGUMENT where there are no images
   */
  async acquire({ image, from, template, files, ...wait }: CreateOptions = {}): Promise<Lease> {
    const start = template ? await this.template(template, wait) : from;
    const made = start === undefined ? undefined : this.#snapshots.find(start).image;
    const sandbox = await this.#warm(made === undefined ? (image ?? this.#image) : made, wait);
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
    return this.#snapshots.template(template, (image) => this.acquire({ ...wait, ...(image && { image }) }));
  }

  save(sandbox: SandboxProcess, shells: ReadonlyMap<string, string>): Promise<SnapshotId> {
    return this.#snapshots.save(sandbox, shells);
  }

  drop(snapshot: SnapshotId): Promise<void> {
    return this.#snapshots.drop(snapshot);
  }

  async #warm(image: Image | null, { timeoutMs = 30_000, signal }: RunOptions): Promise<SandboxProcess> {
    if (this.#closing.signal.aborted) throw new ActorsError("ACTOR_STOPPED", "the sandbox pool is closed");
    this.#checkouts++;
    const ready = this.#takeIdle(image);
    if (ready) return ready;
    let turn: Waiting | undefined;
    const coming = new Promise<SandboxProcess>((resolve, reject) => {
      turn = { image, resolve, reject };
      this.#waiting.push(turn);
    });
    this.#fill();
    try {
      return await withDeadline(coming, timeoutMs, "a free sandbox", signal);
    } catch (cause) {
      const at = this.#waiting.indexOf(turn as Waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
      else coming.then((sandbox) => this.#offer(sandbox)).catch(() => {});
      if (signal?.aborted || !isActorsError(cause, "DEADLINE_EXCEEDED")) throw cause;
      const { size } = this.#options;
      const why = this.#all.size < size ? `; starting one failed: ${this.#lastFailure}` : `, all ${size} are in use`;
      throw new ActorsError("OVERLOADED", `no sandbox within ${timeoutMs} ms${why}`, {
        cause,
        hint: "Give the pool more sandboxes, or run fewer episodes at once.",
      });
    }
  }

  #takeIdle(image: Image | null): SandboxProcess | undefined {
    for (let at = this.#idle.length - 1; at >= 0; at--) {
      if (!isSame((this.#idle[at] as SandboxProcess).image, image)) continue;
      const [found] = this.#idle.splice(at, 1);
      if (found?.alive) return found;
    }
    return undefined;
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
    if (sandbox.workspaces.once) return this.#retire(sandbox);
    const empty = async () => {
      await sandbox.workspaces.clear(sandbox);
      return sandbox.run([{ reset: {} }]);
    };
    const [emptied] = await empty().catch(() => []);
    if (emptied?.ok) this.#offer(sandbox);
    else sandbox.kill();
  }

  #retire(sandbox: SandboxProcess): Promise<void> {
    this.#retired.add(sandbox);
    return sandbox.end();
  }

  #offer(sandbox: SandboxProcess): void {
    if (!sandbox.alive || this.#closing.signal.aborted) return;
    const next = this.#waiting.findIndex(({ image }) => isSame(image, sandbox.image));
    if (next >= 0) return this.#waiting.splice(next, 1)[0]?.resolve(sandbox);
    this.#idle.push(sandbox);
    if (this.#waiting.length > 0) this.#fill(); // for another image, in its place
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#startMissing().finally(() => {
      this.#filling = undefined;
      if (this.#missing().length > 0 && !this.#closing.signal.aborted) this.#fill(); // one ended just now
    });
    return this.#filling;
  }

  /** What is to be started now: what is waited for, in the place of idle ones if need be, then what is kept warm. */
  #missing(): (Image | null)[] {
    const room = this.#options.size - this.#all.size;
    const wanted = this.#waiting.slice(0, room + this.#idle.length).map(({ image }) => image);
    const spare = Math.max(0, room - wanted.length);
    return [...wanted, ...Array<Image | null>(spare).fill(this.#image)].slice(0, startsAtOnce);
  }

  async #startMissing(): Promise<void> {
    const { size, backend, limits, log } = this.#options;
    const { signal } = this.#closing;
    let backoffMs = firstBackoffMs;
    for (let images = this.#missing(); images.length > 0 && !signal.aborted; images = this.#missing()) {
      const surplus = this.#all.size + images.length - size;
      await Promise.all(this.#idle.splice(0, Math.max(0, surplus)).map((sandbox) => this.#retire(sandbox)));
      const started = await Promise.allSettled(images.map((image) => backend.start(limits, image)));
      for (const [i, result] of started.entries()) {
        if (result.status === "fulfilled") {
          this.#add(result.value);
          backoffMs = firstBackoffMs;
          continue;
        }
        const error = ActorsError.from(result.reason, "UNAVAILABLE");
        this.#lastFailure = error.message;
        if (!error.retryable) this.#refuse(images[i] ?? null, error);
      }
      if (started.every((result) => result.status === "fulfilled")) continue;
      log.warn(`a sandbox did not start, trying again in ${backoffMs} ms: ${this.#lastFailure}`);
      await pause(backoffMs, signal);
      backoffMs = Math.min(maxBackoffMs, backoffMs * 2);
    }
  }

  /** To wait for it is of no use. */
  #refuse(image: Image | null, error: ActorsError): void {
    for (let at = this.#waiting.length - 1; at >= 0; at--)
      if (isSame((this.#waiting[at] as Waiting).image, image)) this.#waiting.splice(at, 1)[0]?.reject(error);
  }

  #add(sandbox: SandboxProcess): void {
    this.#all.add(sandbox);
    sandbox.ended.then((why) => {
      this.#all.delete(sandbox);
      const at = this.#idle.indexOf(sandbox);
      if (at >= 0) this.#idle.splice(at, 1);
      if (this.#closing.signal.aborted) return;
      if (!this.#retired.has(sandbox)) {
        this.#lost++;
        this.#options.log.warn(`sandbox ${sandbox.id} is lost (${why}); starting another`);
      }
      this.#fill();
    });
    if (this.#closing.signal.aborted) sandbox.end();
    else this.#offer(sandbox);
  }
}

const isSame = (a: Image | null, b: Image | null) => a?.name === b?.name && a?.workspace === b?.workspace;
