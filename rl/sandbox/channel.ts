import { actors } from "#protos";
import { ActorsError, withDeadline } from "../../runtime/index.js";
import type { Image } from "./backend.js";
import { FrameReader, frame } from "./frames.js";
import type { Link } from "./link.js";
import { type Op, type OpResult, patience, type RunOptions, type SandboxSession } from "./session.js";
import { archivedWorkspaces, type Workspaces } from "./workspaces.js";

const { SandboxRun, SandboxResults } = actors.v1;
const startMs = 10_000;
const graceMs = 1_000;
const endMs = 10_000;
const maxFrame = 256 << 20;
const stderrTail = 2_000;

interface Waiting {
  resolve(results: OpResult[]): void;
  reject(error: ActorsError): void;
  onOutput?: RunOptions["onOutput"] | undefined;
}

/**
 * A running sandboxd seen from the host: frames of native/sandboxd/wire.h on its stdin and stdout. Runs go on beside each
 * other. A sandbox that ends, breaks the protocol or misses a deadline is dead for good.
 */
export class SandboxProcess implements SandboxSession {
  readonly id: string;
  /** As its own processes see it. */
  readonly workspace: string;
  /** How its workspace is kept and replaced. */
  workspaces: Workspaces = archivedWorkspaces;
  /** What it was started from; null: the backend's own programs. */
  image: Image | null = null;
  /** What sandboxd said it took from itself: "init", "network", "ipc", "user", "seccomp". */
  achieved: readonly string[] = [];
  /** Settles once the process has gone, with the reason. */
  readonly ended: Promise<string>;
  readonly #link: Link;
  readonly #waiting = new Map<number, Waiting>();
  #runs = 0;
  readonly #removals: Promise<unknown>[] = [];
  #dead: string | undefined;
  #stderr = "";
  readonly #frames = new FrameReader(maxFrame);

  private constructor(id: string, link: Link, workspace: string) {
    this.id = id;
    this.workspace = workspace;
    this.#link = link;
    this.ended = link.ended.then((why) => {
      this.#fail(why);
      return why;
    });
    link.output.on("data", (chunk: Buffer) => this.#take(chunk));
    link.errors?.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-stderrTail);
    });
  }

  /**
   * Waits until sandboxd serves.
   * @throws ActorsError UNAVAILABLE with the last of its stderr
   */
  static async start(id: string, link: Link, workspace: string, timeoutMs = startMs): Promise<SandboxProcess> {
    const process = new SandboxProcess(id, link, workspace);
    const hello = new Promise<OpResult[]>((resolve, reject) => process.#waiting.set(0, { resolve, reject }));
    try {
      const [first] = await withDeadline(hello, timeoutMs, `the start of sandbox ${id}`);
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
    return this.#link.pid;
  }

  /** An aborted run rejects at once; its command is killed, and the sandbox goes on. */
  async run(ops: readonly Op[], { timeoutMs, signal, onOutput }: RunOptions = {}): Promise<OpResult[]> {
    if (this.#dead !== undefined) throw this.#lost();
    const id = ++this.#runs;
    const answer = new Promise<OpResult[]>((resolve, reject) => this.#waiting.set(id, { resolve, reject, onOutput }));
    this.#send(id, ops);
    try {
      return await withDeadline(answer, timeoutMs ?? patience(ops), `sandbox ${this.id}`, signal);
    } catch (error) {
      answer.catch(() => {});
      // A run that ended has taken its number along, and a kill of no run is an error nobody reads.
      if (signal?.aborted) this.#send(++this.#runs, [{ kill: { run: id, signal: "SIGKILL" } }]);
      else this.kill(); // stuck
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  #send(id: number, ops: readonly Op[]): void {
    this.#link.input.write(frame(SandboxRun.encode({ id, ops: ops as Op[] }).finish()));
  }

  /** Ends it, and resolves when it and what it leaves on the host have gone. */
  async end(): Promise<void> {
    this.kill();
    const gone = this.ended.then(() => Promise.all(this.#removals));
    await withDeadline(gone, endMs, `the end of sandbox ${this.id}`).catch(() => {});
  }

  /** Has something on the host removed once it ended. */
  removing(work: () => Promise<unknown>): void {
    this.#removals.push(this.ended.then(work).catch(() => {})); // else the next start sweeps it
  }

  /** Dead for us from now on. It gets a moment to end by itself, which takes its children along; then SIGKILL. */
  kill(): void {
    this.#fail("it was ended");
    this.#link.input.destroy();
    const timer = setTimeout(() => this.#link.kill(), graceMs).unref();
    this.ended.then(() => clearTimeout(timer));
  }

  #take(chunk: Buffer): void {
    try {
      for (const bytes of this.#frames.push(chunk)) {
        const { id, results, stdout, stderr } = SandboxResults.decode(bytes);
        const waiting = this.#waiting.get(id);
        if (id > this.#runs) throw new Error("an answer nobody asked for");
        if (stdout.length + stderr.length > 0) waiting?.onOutput?.({ stdout, stderr });
        else waiting?.resolve(results as OpResult[]);
      }
    } catch (error) {
      this.#fail(`it broke the protocol: ${(error as Error).message}`);
      this.kill();
    }
  }

  #fail(why: string): void {
    this.#dead ??= why;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#lost());
    this.#waiting.clear();
  }

  #lost(): ActorsError {
    const said = this.#stderr.trim();
    return new ActorsError("UNAVAILABLE", `sandbox ${this.id} is lost: ${this.#dead}${said ? ` (${said})` : ""}`, {
      hint: "Check out another one and start the episode again.",
    });
  }
}
