import { ActorsError } from "../../runtime/index.js";
import type { Op, OpResult } from "./session.js";

/** A program with its arguments, or a line for bash. */
export type CommandLine = string | readonly string[];

export interface ExecOptions {
  /** Past it the command and its process group are killed. Default 10 s. */
  timeoutMs?: number;
  /** Relative to the workspace. */
  cwd?: string;
  /** Beside the sandbox's own variables. */
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** Bytes kept of stdout and of stderr. Default 64 KiB. What is more goes on into `stdoutLog` or `stderrLog`, up to 8 MiB. */
  maxOutput?: number;
  /** Kills the command; the sandbox goes on. */
  signal?: AbortSignal;
  /** For `sandbox.kill` and `sandbox.input`; unique among the commands that run. */
  tag?: string;
  /** stdin stays open for `sandbox.input`, which needs a tag. */
  openStdin?: boolean;
}

/** How a command ended. It is no error that one fails, is killed or runs out of time. */
export interface ExecResult {
  /** -1 when a signal ended it. */
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  /** The bytes as they were written; `String(stdout)` reads them as UTF-8. */
  stdout: Buffer;
  stderr: Buffer;
  /** Only the first `maxOutput` bytes are here. */
  truncated: boolean;
  /** Where in the sandbox all of it is, when it was truncated. The newest 16 are kept. */
  stdoutLog: string | null;
  stderrLog: string | null;
}

export function execOp(command: CommandLine, options: ExecOptions): Op & { exec: object } {
  const { timeoutMs, cwd, env, stdin, maxOutput, tag, openStdin } = options;
  return {
    exec: {
      argv: typeof command === "string" ? ["bash", "-c", command] : [...command],
      ...(timeoutMs !== undefined && { timeoutMs: wholeMs(timeoutMs) }),
      ...(cwd !== undefined && { cwd }),
      ...(env && { env: Object.entries(env).map(([name, value]) => `${name}=${value}`) }),
      ...(stdin !== undefined && { stdin: bytesOf(stdin) }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...(tag !== undefined && { tag }),
      ...(openStdin && { openStdin }),
    },
  };
}

/** sandboxd takes 0 for its default. */
export const wholeMs = (ms: number) => Math.max(1, Math.round(ms));

export function execResult(result: OpResult): ExecResult {
  return {
    exitCode: result.exitCode,
    signal: result.signal || null,
    timedOut: result.timedOut,
    stdout: bufferOf(result.data),
    stderr: bufferOf(result.stderr),
    truncated: result.truncated,
    stdoutLog: result.stdoutLog || null,
    stderrLog: result.stderrLog || null,
  };
}

export const bytesOf = (content: string | Uint8Array) =>
  typeof content === "string" ? Buffer.from(content, "utf8") : content;
export const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * @throws ActorsError NOT_FOUND or INVALID_ARGUMENT when the operation failed: a wrong path, a program that is not there
 */
export function succeeded(result: OpResult | undefined): OpResult {
  if (result?.ok) return result;
  const error = result?.error ?? "no answer";
  const [errno = ""] = error.split(":");
  if (errno === "ENOSPC" || errno === "EDQUOT" || errno === "EFBIG")
    throw new ActorsError("RESOURCE_EXHAUSTED", `the sandbox is full: ${error}`, {
      retryable: false,
      details: { errno },
    });
  throw new ActorsError(errno === "ENOENT" ? "NOT_FOUND" : "INVALID_ARGUMENT", error, { details: { errno } });
}

const archiveMs = 60_000;
export const maxArchive = 128 << 20;

export function archiveOp(argv: string[], cwd: string, stdin?: Uint8Array): Op {
  return { exec: { argv, cwd, timeoutMs: archiveMs, maxOutput: maxArchive, ...(stdin && { stdin }) } };
}
