import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A running sandboxd as its owner holds it: frames go in and come out. */
export interface Link {
  readonly input: Writable;
  readonly output: Readable;
  /** What it says when it breaks. */
  readonly errors: Readable | null;
  /** As this machine numbers it; 0 when it runs on another. */
  readonly pid: number;
  /** Settles once it has gone, with the reason. */
  readonly ended: Promise<string>;
  kill(): void;
}

/** A child with pipes as its stdin, stdout and stderr. */
export function childLink(child: ChildProcess): Link {
  // A write to a process that just ended: `ended` tells it better.
  for (const stream of [child.stdin, ...child.stdio.slice(3)]) (stream as Writable | null)?.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${signal ?? `status ${code}`}`));
  });
  return {
    input: child.stdin as Writable,
    output: child.stdout as Readable,
    errors: child.stderr,
    pid: child.pid ?? 0,
    ended,
    kill: () => child.kill("SIGKILL"),
  };
}
