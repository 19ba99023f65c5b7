import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ActorsError, withDeadline } from "../../runtime/index.js";

const stepMs = 5_000;

/** `sandboxd hold` (native/sandboxd/layers.h): the namespaces that the layers of a backend's sandboxes live in. */
export class Holder {
  readonly #child: ChildProcess;
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = [];
  #dead: string | undefined;
  #layers = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    const end = (why: string) => {
      this.#dead ??= why;
      for (const { reject } of this.#waiting.splice(0)) reject(this.#error(why));
    };
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(`it ended with ${signal ?? `status ${code}`}`));
    child.stdin?.on("error", () => {});
    createInterface({ input: child.stdout as Readable }).on("line", (line) => {
      const next = this.#waiting.shift();
      if (line === "ok") next?.resolve();
      else next?.reject(this.#error(line));
    });
  }

  /** @throws ActorsError UNAVAILABLE where the kernel grants no such namespaces, or no overlay in them */
  static async start(binary: string, binaryFd: number, user: number | null): Promise<Holder> {
    const child = spawn(binary, ["hold"], {
      stdio: ["pipe", "pipe", "ignore", "ignore", binaryFd],
      env: {},
      cwd: "/",
      detached: true,
      ...(user !== null && { uid: user, gid: user }),
    });
    // It ends with its owner, whom it keeps from nothing.
    child.unref();
    for (const pipe of [child.stdin, child.stdout] as unknown as Socket[]) pipe.unref();
    const holder = new Holder(child);
    try {
      await holder.#answer("the start of the holder of layers");
      return holder;
    } catch (error) {
      holder.end();
      throw error;
    }
  }

  get alive(): boolean {
    return this.#dead === undefined;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its layers end with the last sandbox on them. */
  end(): void {
    this.#child.stdin?.destroy();
    this.#child.kill("SIGKILL");
  }

  /** A new empty layer. Its number is known at once, for what comes after it comes after it. */
  layer(mb: number): { layer: number; made: Promise<void> } {
    const layer = ++this.#layers;
    return { layer, made: this.#tell(`layer ${layer} ${mb}`) };
  }

  mount(pid: number, layers: readonly number[]): Promise<void> {
    return this.#tell(`mount ${pid} ${layers.join(" ")}`);
  }

  drop(layer: number): Promise<void> {
    return this.#tell(`drop ${layer}`);
  }

  #tell(line: string): Promise<void> {
    if (this.#dead !== undefined) return Promise.reject(this.#error(this.#dead));
    this.#child.stdin?.write(`${line}\n`);
    return this.#answer(`"${line}" of the holder of layers`);
  }

  #answer(what: string): Promise<void> {
    const answer = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    return withDeadline(answer, stepMs, what);
  }

  #error(why: string): ActorsError {
    return new ActorsError("UNAVAILABLE", `the holder of layers: ${why}`);
  }
}
