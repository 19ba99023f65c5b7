import { ActorsError } from "../../runtime/index.js";
import {
  archiveOp,
  bufferOf,
  bytesOf,
  type CommandLine,
  type ExecOptions,
  type ExecResult,
  execOp,
  execResult,
  maxArchive,
  succeeded,
} from "./exec.js";
import { follow } from "./follow.js";
import type { Op, OpResult, OutputChunk, RunOptions, SandboxSession } from "./session.js";
import { Shell } from "./shell.js";

/** A file to be put into a sandbox; `mode` as in chmod, default 0644. */
export interface SandboxFile {
  path: string;
  content: string | Uint8Array;
  mode?: number;
}

export interface Entry {
  name: string;
  kind: "file" | "folder" | "link" | "other";
}

/** The state of a workspace at one moment, from which sandboxes are made. Lives as long as the pool or actor that gave it, unless dropped. */
export type SnapshotId = string & { readonly brand?: "snapshot" };

export interface ForkOptions extends RunOptions {
  /** From what this one began with of its image, or from nothing: nothing that was done here is there. Default: false. */
  anew?: boolean;
}

/** What runs in the sandbox to judge what is in it. */
export interface Evaluation {
  /** Put there only now, in place of whatever is at their paths; tests the agent must not see, or may have changed. */
  files?: readonly SandboxFile[];
  /** Removed before: configuration of a test runner, say. */
  remove?: readonly string[];
  command: CommandLine;
  options?: ExecOptions;
  /** Read once the command ended; one that is not there is null. */
  read?: readonly string[];
}

export interface Evaluated extends ExecResult {
  files: Record<string, Buffer | null>;
}

/** Bytes of either stream that `stream` gives by default. */
const maxStreamed = 16 << 20;
const kinds: Record<string, Entry["kind"]> = { f: "file", d: "folder", l: "link" };

/**
 * A sandbox of one's own until it is released: its processes and files are gone then. Paths are relative to the workspace and
 * cannot leave it.
 * @throws ActorsError, retryable, from any method when the sandbox or the way to it is lost: never the agent's fault
 */
export abstract class Sandbox implements SandboxSession, AsyncDisposable {
  abstract readonly id: string;
  abstract run(ops: readonly Op[], options?: RunOptions): Promise<OpResult[]>;
  /**
   * Keeps the workspace as it is, to make sandboxes from. What runs in the background is ended; shells go on in their
   * folder with their exported variables, functions and aliases, here and in every fork. /tmp is no part of it.
   * @throws ActorsError INVALID_ARGUMENT while a shell runs a command
   */
  abstract snapshot(): Promise<SnapshotId>;
  /** Another sandbox that goes on from here. */
  abstract fork(options?: ForkOptions): Promise<Sandbox>;
  abstract release(): Promise<void>;

  /** Runs one command from the workspace, in a process of its own. */
  async exec(command: CommandLine, options: ExecOptions = {}): Promise<ExecResult> {
    const { signal } = options;
    const [result] = await this.run([execOp(command, options)], signal ? { signal } : {});
    return execResult(succeeded(result));
  }

  /** As exec, but gives the output as it comes and the rest at the end. Leaving the loop kills the command. */
  async *stream(command: CommandLine, options: ExecOptions = {}): AsyncGenerator<OutputChunk, ExecResult, undefined> {
    const op = execOp(command, { maxOutput: maxStreamed, ...options });
    const ops = [{ exec: { ...op.exec, stream: true } }];
    const [result] = yield* follow((run) => this.run(ops, run), options.signal);
    return execResult(succeeded(result));
  }

  /** A bash that lasts: each command goes on where the last one left off. Sandboxes have as many as there are names. */
  shell(name = "main"): Shell {
    return new Shell(this, name);
  }

  /** Signals the process group of the command that runs with this tag. False when there is none. */
  async kill(tag: string, signal = "SIGTERM"): Promise<boolean> {
    return isThere(await this.run([{ kill: { tag, signal } }]));
  }

  /** Writes to the stdin of the command that runs with this tag and `openStdin`. False when there is none. */
  async input(tag: string, data: string | Uint8Array, { close = false } = {}): Promise<boolean> {
    return isThere(await this.run([{ input: { tag, data: bytesOf(data), close } }]));
  }

  /** At most 16 MiB; larger files come by `download`. */
  async read(path: string): Promise<Buffer> {
    const result = succeeded((await this.run([{ read: path }]))[0]);
    if (!result.truncated) return bufferOf(result.data);
    throw new ActorsError("INVALID_ARGUMENT", `${path} is larger than 16 MiB`, { hint: "Use download." });
  }

  /** Creates missing folders. A link in the way is replaced, never followed. */
  async write(...files: readonly SandboxFile[]): Promise<void> {
    if (files.length > 0) succeeded((await this.run(files.map(writeOp))).at(-1));
  }

  /** At most 10,000 entries, in no order. */
  async list(path = ""): Promise<Entry[]> {
    const { names, kinds: letters } = succeeded((await this.run([{ list: path }]))[0]);
    return names.map((name, i) => ({ name, kind: kinds[letters[i] ?? ""] ?? "other" }));
  }

  /** A file, or a folder with all in it. One that is not there is no error. */
  async remove(...paths: readonly string[]): Promise<void> {
    for (const remove of paths) {
      const [result] = await this.run([{ remove }]);
      if (!result?.error.startsWith("ENOENT")) succeeded(result);
    }
  }

  /** Unpacks a tar archive, compressed or not. It is unpacked inside, so that nothing in it can harm the host. */
  async upload(archive: Uint8Array, path = "."): Promise<void> {
    const flag = { 8075: "-z", 16986: "-j", 64823: "-J" }[((archive[0] ?? 0) << 8) | (archive[1] ?? 0)];
    const unpack = ["tar", ...(flag ? [flag] : []), "-x", "--no-same-owner", "-f", "-"];
    await this.#archive([{ exec: { argv: ["mkdir", "-p", path] } }, archiveOp(unpack, path, archive)], "unpacked");
  }

  /** A folder as a tar archive. */
  async download(path = "."): Promise<Buffer> {
    const result = await this.#archive([archiveOp(["tar", "-c", "-f", "-", "."], path)], "packed");
    if (result.truncated) throw new ActorsError("INVALID_ARGUMENT", `${path} is larger than ${maxArchive >> 20} MiB`);
    return bufferOf(result.data);
  }

  /** Applies a unified diff whole or not at all. @throws ActorsError INVALID_ARGUMENT with what git said */
  async patch(diff: string, { cwd = ".", strip = 1 } = {}): Promise<void> {
    const apply = ["git", "apply", "--whitespace=nowarn", `-p${strip}`, "-"];
    const { exitCode, stderr } = await this.exec(apply, { stdin: diff, cwd });
    if (exitCode !== 0) throw new ActorsError("INVALID_ARGUMENT", `the patch does not apply: ${String(stderr).trim()}`);
  }

  /**
   * Judges the workspace in a fork that is gone afterwards: none of the agent's processes is in it, and this sandbox never
   * holds the files put in for the judgement.
   */
  async evaluate({ files = [], remove = [], command, options, read = [] }: Evaluation): Promise<Evaluated> {
    await using fork = await this.fork(options?.signal && { signal: options.signal });
    await fork.remove(...remove);
    await fork.#clearWay(files);
    await fork.write(...files);
    const result = await fork.exec(command, options);
    const found: Record<string, Buffer | null> = {};
    for (const path of read) {
      const [got] = await fork.run([{ read: path }]);
      found[path] = got?.ok ? bufferOf(got.data) : null;
    }
    return { ...result, files: found };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** What the agent put where folders or files must go: a file, a folder, a link. */
  async #clearWay(files: readonly SandboxFile[]): Promise<void> {
    const folders = new Set<string>();
    for (const { path } of files)
      for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) folders.add(path.slice(0, at));
    for (const list of folders) {
      const [found] = await this.run([{ list }]);
      if (!found?.ok && !found?.error.startsWith("ENOENT")) await this.remove(list);
    }
    await this.remove(...files.map(({ path }) => path));
  }

  async #archive(ops: readonly Op[], what: string): Promise<OpResult> {
    const result = succeeded((await this.run(ops)).at(-1));
    if (result.exitCode === 0) return result;
    const why = result.timedOut ? "out of time" : Buffer.from(result.stderr).toString().trim();
    throw new ActorsError("INVALID_ARGUMENT", `the archive could not be ${what}: ${why}`);
  }
}

export const writeOp = ({ path, content, mode }: SandboxFile): Op => ({
  write: { path, content: bytesOf(content), ...(mode !== undefined && { mode }) },
});

function isThere([result]: OpResult[]): boolean {
  if (result?.error.startsWith("ESRCH")) return false;
  succeeded(result);
  return true;
}
