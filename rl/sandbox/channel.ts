import type { ChildProcess } from "node:child_process";
import type { Duplex, Readable } from "node:stream";
import { actors } from "#protos";
import { ActorsError, withDeadline } from "../../runtime/index.js";
import { type Op, type OpResult, patience, type RunOptions } from "./session.js";

const { SandboxRun, SandboxResults } = actors.v1;
const startMs = 10_000;
const endMs = 2_000;
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
  #received: Buffer = Buffer.alloc(0);

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
    const message = SandboxRun.encode({ ops: ops as Op[] }).finish();
    const frame = Buffer.allocUnsafe(4 + message.length);
    frame.writeUInt32LE(message.length);
    frame.set(message, 4);
    const answer = new Promise<OpResult[]>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#child.stdin?.write(frame);
    try {
      return await withDeadline(answer, timeoutMs ?? patience(ops), `sandbox ${this.name}`, signal);
    } catch (error) {
      // Nobody knows how far it came, and the next answer would be taken for ours.
      answer.catch(() => {});
      this.kill();
      throw error;
    }
  }

  /** Ends it by closing its stdin: it kills what it started and, where it has one, removes its folder. */
  async end(): Promise<void> {
    this.#child.stdin?.destroy();
    await withDeadline(this.ended, endMs, `the end of sandbox ${this.name}`).catch(() => {});
    this.kill();
    await withDeadline(this.ended, endMs, `the end of sandbox ${this.name}`).catch(() => {});
  }

  kill(): void {
    this.#fail("it was killed");
    this.#child.stdin?.destroy();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 4) {
      const size = this.#received.readUInt32LE(0);
      if (size > maxFrame) return this.kill();
      if (this.#received.length < 4 + size) return;
      const frame = this.#received.subarray(4, 4 + size);
      this.#received = this.#received.subarray(4 + size);
      const next = this.#waiting.shift();
      if (!next) return this.kill();
      try {
        next.resolve(SandboxResults.decode(frame).results as OpResult[]);
      } catch {
        next.reject(this.#lost("it broke the protocol"));
        return this.kill();
      }
    }
  }

  #fail(why: string): void {
    this.#dead ??= why;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#lost());
  }

  #lost(why = this.#dead): ActorsError {
    const said = this.#stderr.trim();
    return new ActorsError("UNAVAILABLE", `sandbox ${this.name} is lost: ${why}${said ? ` (${said})` : ""}`, {
      hint: "Check out another one and start the episode again.",
    });
  }
}
