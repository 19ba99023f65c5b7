import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import { heartbeatMs } from "./protocol.js";
import type { ClusterFile } from "./state.js";

export interface HeartData {
  file: ClusterFile;
  node: string;
  endpoint: string;
  leaseFile: string;
  /** One 32-bit count of the turns of the node's event loop. */
  turns: SharedArrayBuffer;
}

const main = fileURLToPath(new URL("./heart-main.js", import.meta.url));
const upMs = 20_000;
const youngMb = 1; // what it needs for a heartbeat is soon garbage

/**
 * Beats for a node and keeps its lease in a thread of its own, so that a node whose event loop an actor holds is not
 * a dead one. Loading it takes a while: a node that starts beats by itself, until this one does.
 */
export class Heart {
  readonly #of: Omit<HeartData, "turns">;
  readonly #failed: (cause: Error) => void;
  #up: Promise<void> | undefined;

  /** @param failed told when the thread ends: nothing keeps the lease any more */
  constructor(of: Omit<HeartData, "turns">, failed: (cause: Error) => void) {
    this.#of = of;
    this.#failed = failed;
  }

  /**
   * Resolves once its first heartbeat came back; started when first asked for.
   * @throws ActorsError START_FAILED, DEADLINE_EXCEEDED
   */
  up(): Promise<void> {
    this.#up ??= this.#start();
    return this.#up;
  }

  #start(): Promise<void> {
    const turns = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const count = new Int32Array(turns);
    setInterval(() => Atomics.add(count, 0, 1), heartbeatMs).unref();
    const thread = new Worker(main, {
      workerData: { ...this.#of, turns } satisfies HeartData,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    const beating = new Promise<void>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", (cause) => {
        this.#failed(cause);
        reject(new ActorsError("START_FAILED", `the heartbeat thread failed: ${cause.message}`, { cause }));
      });
    });
    return withDeadline(beating, upMs, `the first heartbeat of node ${this.#of.node}'s own thread to come back`);
  }
}
