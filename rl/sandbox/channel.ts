import type { ChildProcess } from "node:child_process";
import type { Duplex, Readable } from "node:stream";
import { actors } from "#protos";
import { ActorsError, withDeadline } from "../../runtime/index.js";
import { FrameReader, frame } from "./frames.js";
import { type Op, type OpResult, patience, type RunOptions } from "./session.js";

const { SandboxRun, SandboxResults } = actors.v1;
const startMs = 10_000;
const graceMs = 1_000;
const endMs = 3_000;
const maxFrame = 256 << 20;
const stderrTail = 2_000;

interface Waiting {
  resolve(results: OpResult[]): void;
  reject(error: ActorsError): void;
}

/**
 * A running sandboxd seen from the host: frames of native/sandboxd/wire.h on its stdin and stdout. Requests are answered
 * in the order they were sent. A sandbox that ends, breaks the protocol or misses a deadline is dead for good.
 */
export class SandboxProcess {
  readonly name: string;
  /** What sandboxd said it took from itself: "init", "network", "ipc", "user", "seccomp". */
  achieved: readonly string[] = [];
  /** Settles once the process has gone, with the reason. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #waiting: Waiting[] = [];
  #dead: string | undefined;
  #stderr = "";
  readonly #frames = new FrameReader(maxFrame);

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    this.ended = new Promise((resolve) => {
      const end = (why: string) => {
        this.#fail(why);
        resolve(why);
      };
      child.once("error", (error) => end(error.message));
      child.once("exit", (code, signal) => end(`it ended with ${signal ?? `status ${code}`}`));
    });
    const stdout = child.stdout as Readable;
    stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    (child.stderr as Readable).on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-stderrTail);
    });
    // A write to a process that just ended: `ended` tells it better.
    for (const stream of [child.stdin, ...child.stdio.slice(3)]) (stream as Duplex | null)?.on("error", () => {});
  }

  /**
   * Waits until sandboxd serves.
   * @throws ActorsError UNAVAILABLE with the last of its stderr
   */
  static async start(name: string, child: ChildProcess): Promise<SandboxProcess> {
    const process = new SandboxProcess(name, child);
    const hello = new Promise<OpResult[]>((resolve, reject) => process.#waiting.push({ resolve, reject }));
    try {
      const [first] = await withDeadline(hello, startMs, `the start of sandbox ${name}`);
      process.achieved = first?.names ?? [];
      return process;
    } catch (error) {
      process.kill();
      throw error;
    }
  }

  get alive(): boolean {
    return this.#dead === undefined;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async run(ops: readonly Op[], { timeoutMs, signal }: RunOptions = {}): Promise<OpResult[]> {
    if (this.#dead !== undefined) throw this.#lost();
    const answer = new Promise<OpResult[]>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#child.stdin?.write(frame(SandboxRun.encode({ ops: ops as Op[] }).finish()));
    try {
      return await withDeadline(answer, timeoutMs ?? patience(ops), `sandbox ${this.name}`, signal);
    } catch (error) {
      // Nobody knows how far it came, and the next answer would be taken for ours.
      answer.catch(() => {});
      this.kill();
      throw error;
    }
  }

  /** Ends it, and resolves when it has gone. */
  async end(): Promise<void> {
    this.kill();
    await withDeadline(this.ended, endMs, `the end of sandbox ${this.name}`).catch(() => {});
  }

  /** Dead for us from now on. It gets a moment to end by itself, which takes its children along; then SIGKILL. */
  kill(): void {
    this.#fail("it was killed");
    this.#child.stdin?.destroy();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), graceMs).unref();
    this.ended.then(() => clearTimeout(timer));
  }

  #take(chunk: Buffer): void {
    try {
      for (const bytes of this.#frames.push(chunk)) {
        const next = this.#waiting.shift();
        if (!next) throw new Error("an answer nobody asked for");
        next.resolve(SandboxResults.decode(bytes).results as OpResult[]);
      }
    } catch (error) {
      this.#fail(`it broke the protocol: ${(error as Error).message}`);
      this.kill();
    }
  }

  #fail(why: string): void {
    this.#dead ??= why;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#lost());
  }

  #lost(): ActorsError {
    const said = this.#stderr.trim();
    return new ActorsError("UNAVAILABLE", `sandbox ${this.name} is lost: ${this.#dead}${said ? ` (${said})` : ""}`, {
      hint: "Check out another one and start the episode again.",
    });
  }
}
