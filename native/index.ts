// The native layer's face: a learner, an engine, a collective, shared memory. Built by `node native/build.mjs`; nothing
// is loaded before the first use.
import { addon, guard } from "./addon.js";

export { Collective } from "./collective.js";
export { Engine } from "./engine.js";
export { NativeError } from "./error.js";
export { Learner } from "./learner.js";
export type {
  Batch,
  CollectiveOptions,
  EngineOptions,
  Generation,
  GenerationRequest,
  Logprobs,
  LossSpec,
  LossStats,
  ModelConfig,
  OptimOptions,
  OptimResult,
  Published,
} from "./types.js";

/**
 * Asks the kernel to send this process `signal` when the thread that spawned it ends. False where the system has no
 * such thing. Check process.ppid afterwards: the parent may have died before the call.
 */
export function setParentDeathSignal(signal: number): boolean {
  return guard(() => addon().setParentDeathSignal(signal));
}

/**
 * Milliseconds on a clock that all processes of this machine share, that is never set, and on Linux and macOS goes on
 * while the machine sleeps.
 */
export function machineMs(): number {
  return guard(() => addon().machineMs());
}

/**
 * From now on this process is killed (SIGKILL) once `machineMs()`, in nanoseconds, has passed the number in the file's
 * first 8 bytes, as this machine stores them. Whoever maps the file moves it on. JavaScript that holds the thread delays
 * nothing, and on Linux not even SIGSTOP does; after it the process is killed at the time that stood there up to 50 ms
 * before it was stopped.
 */
export function dieWithLease(path: string): void {
  guard(() => addon().dieWithLease(path));
}

/**
 * Maps a file's first `bytes` bytes. Writable: created and grown as needed, its blocks reserved (IO when the disk is
 * full), shared with every other mapping. Read-only: writes stay private. Unmapped when garbage collected.
 */
export function mapFile(path: string, bytes: number, writable: boolean): ArrayBuffer {
  return guard(() => addon().mapFile(path, bytes, writable));
}

/** The instruction set the processor-specific kernels were chosen for: avx512, avx2 or generic. */
export function instructionSet(): string {
  return guard(() => addon().isa);
}
