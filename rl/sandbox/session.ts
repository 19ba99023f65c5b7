import type { actors } from "#protos";

/** One operation inside a sandbox: `{ write }`, `{ read }`, `{ exec }` … of protos/sandbox.proto. */
export type Op = actors.v1.SandboxOp.$Properties;
export type OpResult = actors.v1.SandboxResult;

export interface RunOptions {
  signal?: AbortSignal;
  /** For all operations together. Default: the sum of the commands' own limits and a few seconds. */
  timeoutMs?: number;
  /** What commands with `stream` set write, as it comes. */
  onOutput?: (chunk: OutputChunk) => void;
}

export interface OutputChunk {
  stdout: Uint8Array;
  stderr: Uint8Array;
}

/** A sandbox of one's own for a while. Paths are relative to its workspace. */
export interface SandboxSession {
  readonly id: string;
  /**
   * Does the operations in order, in one message. The first that fails is the last result, with `ok` false and its errno
   * in `error`; a command that exits with an error or is killed has not failed, its result says how it ended.
   * @throws ActorsError, retryable, when the sandbox or the way to it is lost: never the agent's fault
   */
  run(ops: readonly Op[], options?: RunOptions): Promise<OpResult[]>;
}

/** What a sandbox may use. Each command and each of its children is held to `memoryMb` by itself. */
export interface SandboxLimits {
  memoryMb: number;
  processes: number;
  /** Size of the workspace where it is a file system of its own, and of any one file. */
  diskMb: number;
  /** Cores' worth of time that all its processes get together, where control groups can be written. */
  cpus: number;
}

export const defaultLimits: SandboxLimits = { memoryMb: 512, processes: 64, diskMb: 64, cpus: 2 };

/** Time a command gets when its operation names none; sandboxd has the same. */
export const defaultExecMs = 10_000;
const slackMs = 10_000;

/** How long these operations may take before the sandbox counts as stuck. */
export function patience(ops: readonly Op[]): number {
  let ms = slackMs;
  for (const op of ops) if (op.exec) ms += op.exec.timeoutMs || defaultExecMs;
  return ms;
}
