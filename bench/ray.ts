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

/** A Python that can import Ray. */
export const findRay = () => findPython("ray", "ray");

/** A Ray head node of our own, driven by a script beside a benchmark: one JSON line in, one out. */
export class Ray {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  /** How it ended. */
  readonly #ended: Promise<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
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
  static async start(python: string, script: string): Promise<Ray> {
    // By this word in their environment the script finds all of Ray's processes, to add up their CPU time.
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
    const ray = new Ray(child);
    try {
      await ray.#next(startMs, "the start of Ray");
    } catch (error) {
      child.kill("SIGKILL"); // its raylet and workers end with it
      throw error;
    }
    return ray;
  }

  async measure<Order extends { row: string }, Answer>(order: Order): Promise<Answer> {
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
    return JSON.parse(await this.#next(measureDeadlineMs, `Ray's ${order.row}`)) as Answer;
  }

  async close(): Promise<void> {
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

/** Undefined, with a remark, where there is none. */
export async function startRay(report: Report, script: string): Promise<Ray | undefined> {
  const found = findRay();
  if (!found) {
    report.remark("no Ray here ($ACTORS_BENCH_PYTHON and python3 cannot import it): our figures stand alone");
    return undefined;
  }
  report.remark(`Ray ${found.version} of ${found.python}, up in the same run; each idles while the other is measured`);
  return Ray.start(found.python, script);
}
