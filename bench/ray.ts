import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { ending } from "../runtime/cluster/agent-process.js";
import { withDeadline } from "../runtime/index.js";
import { type Report, root } from "./harness.js";
import { findPython } from "./python.js";

const lastChars = 2_000;
const startMs = 180_000;
const measureDeadlineMs = 120_000;
const endMs = 30_000;
const signalMs = 10_000;

/** A Python that can import Ray. */
export const findRay = () => findPython("ray", "ray");

export interface RayOptions {
  /** Whether it stands still between orders. A cluster that checks its nodes' health would hold them for dead then. Default: true. */
  still?: boolean;
}

/** A Ray head node of our own, driven by a script beside a benchmark: one JSON line in, one out. */
export class Ray {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #still: Stillness | undefined;
  /** How it ended. */
  readonly #ended: Promise<string>;

  private constructor(child: ChildProcess, still: Stillness | undefined) {
    this.#child = child;
    this.#still = still;
    this.#lines = createInterface({ input: child.stdout! });
    let last = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      last = (last + text).slice(-lastChars);
    });
    this.#ended = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve(`${ending(code, signal)}: ${last.trim().split("\n").at(-1)}`));
    });
  }

  /** @param script its name in bench/ */
  static async start(python: string, script: string, { still = true }: RayOptions = {}): Promise<Ray> {
    // By this word in their environment all of Ray's processes are found, to add up their CPU time and to stop them.
    const mark = `bench-${randomBytes(8).toString("hex")}`;
    const child = spawn(python, [join(root, "bench", script)], {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        ACTORS_BENCH_MARK: mark,
        RAY_USAGE_STATS_ENABLED: "0",
        RAY_DEDUP_LOGS: "0",
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    const ray = new Ray(child, still ? new Stillness(`ACTORS_BENCH_MARK=${mark}`) : undefined);
    try {
      await ray.#next(startMs, "the start of Ray");
      await ray.#still?.set(true);
    } catch (error) {
      child.kill("SIGKILL"); // its raylet and workers end with it
      ray.#still?.end();
      throw error;
    }
    return ray;
  }

  async measure<Order extends { row: string }, Answer>(order: Order): Promise<Answer> {
    await this.#still?.set(false);
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
    const answer = await this.#next(measureDeadlineMs, `Ray's ${order.row}`);
    await this.#still?.set(true);
    return JSON.parse(answer) as Answer;
  }

  async close(): Promise<void> {
    this.#still?.end();
    this.#child.stdin!.end();
    await withDeadline(this.#ended, endMs, "the end of Ray").catch(() => this.#child.kill("SIGKILL"));
  }

  async #next(ms: number, what: string): Promise<string> {
    const line = once(this.#lines, "line").then(([text]) => text as string);
    const ended = this.#ended.then((how) => {
      throw new Error(`${what}: its process ended ${how}`);
    });
    return withDeadline(Promise.race([line, ended]), ms, what);
  }
}

/**
 * Stops all processes with a word in their environment, and lets them go on. A shell does it, which lets them go on also
 * when this process dies: stopped ones would never notice.
 */
class Stillness {
  readonly #shell: ChildProcess;
  readonly #lines: Interface;

  constructor(word: string) {
    const all = `signal() { for e in $(grep -lsz "^${word}$" /proc/[0-9]*/environ); do e=\${e#/proc/}; kill -$1 "\${e%/environ}" 2>/dev/null; done; }`;
    const twice = 'while read -r name; do signal "$name"; signal "$name"; echo; done; signal CONT'; // what forked meanwhile
    this.#shell = spawn("sh", ["-c", `trap "" INT; ${all}; ${twice}`], {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    this.#lines = createInterface({ input: this.#shell.stdout! });
  }

  async set(still: boolean): Promise<void> {
    const done = once(this.#lines, "line");
    this.#shell.stdin!.write(still ? "STOP\n" : "CONT\n");
    await withDeadline(done, signalMs, "the signals to Ray's processes");
  }

  /** They go on. */
  end(): void {
    this.#shell.stdin!.end();
  }
}

/** Undefined, with a remark, where there is none. */
export async function startRay(report: Report, script: string, options: RayOptions = {}): Promise<Ray | undefined> {
  const found = findRay();
  if (!found) {
    report.remark("no Ray here ($ACTORS_BENCH_PYTHON and python3 cannot import it): our figures stand alone");
    return undefined;
  }
  const meanwhile = options.still === false ? "idle" : "stopped by signal";
  report.remark(
    `Ray ${found.version} of ${found.python}, up in the same run, ${meanwhile} while we are measured; we idle while it is`,
  );
  return Ray.start(found.python, script, options);
}
