import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { ActorsError, withDeadline } from "../../runtime/index.js";

export interface ProgramOptions {
  command: string;
  args?: readonly string[];
  /** Over the environment of this process. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

/** Waits for the end of its owner, who alone holds the other end of file 3, and kills all that is left of the group. */
const guarded = '{ cat <&3; kill -KILL 0; } >/dev/null 2>&1 & exec "$@" 3<&-';
const toldLines = 8;
const endMs = 5_000;

/**
 * A program that is told and tells lines of text. It and what it starts end with `end`, and with this process, even by `kill -9` and
 * where it hangs. This process does not wait for it.
 */
export class OwnedProcess {
  readonly #what: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #stderr: string[] = [];
  #dead: string | undefined;
  onLine: (line: string) => void = () => {};
  onEnd: (error: ActorsError) => void = () => {};

  /** @param what names it in errors */
  constructor(what: string, { command, args = [], env = {}, cwd }: ProgramOptions) {
    this.#what = what;
    this.#child = spawn("/bin/sh", ["-c", guarded, "sh", command, ...args], {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
      detached: true, // a group of its own
      ...(cwd !== undefined && { cwd }),
    });
    const { stdout, stderr } = this.#child;
    this.#child.unref();
    for (const pipe of this.#child.stdio as unknown as Socket[]) pipe.on("error", () => {}).unref();
    createInterface({ input: stdout! }).on("line", (line) => this.onLine(line));
    createInterface({ input: stderr! }).on("line", (line) => {
      this.#stderr.push(line);
      if (this.#stderr.length > toldLines) this.#stderr.shift();
    });
    this.#exited = new Promise((resolve) => {
      const ended = (why: string) => {
        if (this.#dead !== undefined) return;
        this.#dead = why;
        (this.#child.stdio[3] as Socket).destroy(); // for the guard, where the program ended by itself
        this.onEnd(this.error(why));
        resolve();
      };
      this.#child.once("error", (error) => ended(error.message));
      this.#child.once("close", (code, signal) => ended(`it ended with ${signal ?? `status ${code}`}`));
      // A grandchild may hold the pipes open: what is left is killed, and then they close.
      this.#child.once("exit", () => (this.#child.stdio[3] as Socket).destroy());
    });
  }

  get alive(): boolean {
    return this.#dead === undefined;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** @throws ActorsError UNAVAILABLE when it has ended */
  send(line: string): void {
    if (this.#dead !== undefined) throw this.error(this.#dead);
    this.#child.stdin!.write(`${line}\n`);
  }

  /** A failure of it, which is none of the policy's: UNAVAILABLE, with the last lines that it wrote to stderr. */
  error(why: string): ActorsError {
    const stderrTail = this.#stderr.join("\n");
    const said = stderrTail && `; it wrote: ${stderrTail}`;
    return new ActorsError("UNAVAILABLE", `${this.#what}: ${why}${said}`, { details: { stderrTail } });
  }

  /** Kills it, with all that it started, and waits until it is gone. */
  async end(): Promise<void> {
    (this.#child.stdio[3] as Socket).destroy();
    await withDeadline(this.#exited, endMs, `the end of ${this.#what}`);
  }
}
