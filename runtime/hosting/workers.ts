import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClusterFile } from "../cluster/state.js";
import { withDeadline } from "../core/wait.js";
import type { ActorRecord } from "../directory/directory.js";
import { boots } from "./boots.js";
import { yieldToNode } from "./priority.js";

/** Of a node agent, in MiB: V8's own 16 never shrink again once thousands of records have come, and save no time (decision 013). */
export const youngGeneration = "--max-semi-space-size=4";

const main = fileURLToPath(new URL("./process-main.js", import.meta.url));
const stopMs = 8_000;
const takeMs = 5_000;
const idleMs = 60_000;
const againMs = 200;
const maxAgainMs = 30_000;

/** What the parent says: `join`, then `take` with the path of the actor's log, `start` once, then `stop`. */
export type ToWorker = { join: ClusterFile } | { take: string } | { start: Uint8Array } | { stop: string };
export type FromWorker = { taken: true } | { started: string } | { failed: Uint8Array };

/** What all workers of a node have in common. */
export interface WorkerEnv {
  clusterFile: string;
  logsDir: string;
  leaseFile: string;
  node: string;
  ledger: string | undefined;
}

/**
 * The worker processes of a node: for each actor a new one, or a spare, which has loaded the runtime and connected before
 * there was an actor for it. A spare has the environment of a new one, serves one actor, and dies with the node's lease.
 * Spares are kept from the first actor on until there has been none for a minute: a node without such actors has none.
 */
export class Workers {
  readonly #env: WorkerEnv;
  readonly #newIdentity: () => ClusterFile;
  readonly #wanted: number;
  readonly #spares = new Set<ChildProcess>();
  readonly #hosts = new Set<ChildProcess>();
  #deaths = 0;
  #later: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * @param newIdentity how one worker reaches the cluster, and no other
   * @param spares how many to keep
   */
  constructor(env: WorkerEnv, newIdentity: () => ClusterFile, spares: number) {
    this.#env = env;
    this.#newIdentity = newIdentity;
    this.#wanted = spares;
  }

  /** A process that can be told to start this actor, and whose output goes to that log. */
  async take(record: ActorRecord): Promise<{ child: ChildProcess; log: string }> {
    const log = this.#logOf(`${record.name || record.def}-${record.id}`);
    const child = (await this.#takeSpare(record, log)) ?? (await this.#boot(log, record.devices));
    this.#hosts.add(child);
    clearTimeout(this.#idle);
    child.once("exit", () => {
      this.#hosts.delete(child);
      if (this.#hosts.size === 0) this.#idle = setTimeout(() => void this.#drop(), idleMs).unref();
    });
    return { child, log };
  }

  /** Makes up for the spares that were taken. Not while an actor starts, which needs the processors itself. */
  refill(): void {
    if (this.#closed || this.#later || this.#hosts.size === 0) return;
    while (this.#spares.size < this.#wanted) this.#makeSpare();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#later);
    clearTimeout(this.#idle);
    await this.#drop();
  }

  /** The oldest that is alive to say so; one that a new process would not be like does not do. */
  async #takeSpare({ devices, ...record }: ActorRecord, log: string): Promise<ChildProcess | undefined> {
    if (devices.length > 0) return undefined; // what it sees of CUDA is settled when a process starts
    for (const spare of this.#spares) {
      this.#spares.delete(spare);
      const taken = new Promise<boolean>((resolve) => {
        spare.once("message", () => resolve(true));
        spare.once("exit", () => resolve(false)).once("error", () => resolve(false));
        if (!spare.connected) resolve(false);
      });
      say(spare, { take: log });
      const what = `the answer of a spare process for ${record.def}`;
      const isTaken = await withDeadline(taken, takeMs, what).catch(() => false);
      if (isTaken) {
        this.#deaths = 0;
        return spare;
      }
      spare.kill("SIGKILL");
    }
    return undefined;
  }

  /** In its turn. That it was taken it answers once it has loaded its modules. */
  async #boot(log: string, devices: readonly string[]): Promise<ChildProcess> {
    const loaded = await boots.enter();
    try {
      const child = this.#fork(log, devices);
      child.once("message", loaded).once("exit", loaded).once("error", loaded);
      say(child, { take: log });
      return child;
    } catch (error) {
      loaded();
      throw error;
    }
  }

  #makeSpare(): void {
    const spare = this.#fork(this.#logOf(`spares-${this.#env.node}`), []);
    this.#spares.add(spare);
    const gone = () => {
      if (!this.#spares.delete(spare) || this.#closed) return;
      const delay = Math.min(maxAgainMs, againMs * 2 ** this.#deaths++);
      clearTimeout(this.#later);
      this.#later = setTimeout(() => {
        this.#later = undefined;
        this.refill();
      }, delay).unref();
    };
    spare.once("exit", gone).once("error", gone);
  }

  async #drop(): Promise<void> {
    const spares = [...this.#spares];
    this.#spares.clear();
    await Promise.all(spares.map((spare) => endWorker(spare, "it was not needed")));
  }

  #logOf(name: string): string {
    return join(this.#env.logsDir, `${name}.log`);
  }

  #fork(file: string, devices: readonly string[]): ChildProcess {
    const { clusterFile, leaseFile, logsDir, ledger, node } = this.#env;
    mkdirSync(logsDir, { recursive: true });
    const log = openSync(file, "a");
    try {
      const child = fork(main, [], {
        env: {
          ...process.env,
          ACTORS_CLUSTER: clusterFile,
          ACTORS_LEASE: leaseFile,
          ACTORS_NODE: node,
          CUDA_VISIBLE_DEVICES: devices.join(","), // a library that takes what it sees takes nobody else's GPUs
          ...(ledger !== undefined && { ACTORS_OBJECT_LEDGER: ledger }),
        },
        execArgv: process.execArgv.filter((arg) => arg !== youngGeneration),
        serialization: "advanced",
        stdio: ["ignore", log, log, "ipc"],
      });
      say(child, { join: this.#newIdentity() });
      if (child.pid !== undefined) yieldToNode(child.pid);
      return child;
    } finally {
      closeSync(log);
    }
  }
}

/** In good order, or else after 8 s. */
export async function endWorker(child: ChildProcess, reason: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  say(child, { stop: reason });
  const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await exited;
  clearTimeout(late);
}

export function say(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => {}); // a failed send means that it exits, which is seen there
}
