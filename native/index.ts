// The native layer's face: a learner, an engine, a collective, shared memory. Built by `node native/build.mjs`; nothing
// is loaded before the first use.
import { addon, guard, type Segment, type SegmentReader } from "./addon.js";

export type { Segment, SegmentReader } from "./addon.js";
export { Collective } from "./collective.js";
export { Engine } from "./engine.js";
export { NativeError } from "./error.js";
export { Learner } from "./learner.js";
export type {
  Batch,
  CollectiveOptions,
  EngineOptions,
  EngineStats,
  Generation,
  GenerationRequest,
  KvPolicy,
  LearnerSettings,
  Logprobs,
  LoraOptions,
  LossSpec,
  LossStats,
  ModelConfig,
  OptimOptions,
  OptimResult,
  PauseMode,
  Published,
  RingOptions,
  SaveOptions,
  TokenLoss,
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

/** From now on what this process writes to its standard output and error is added to that file. IO when it cannot be opened. */
export function redirectOutput(path: string): void {
  guard(() => addon().redirectOutput(path));
}

/**
 * Maps a file's first `bytes` bytes. Writable: created and grown as needed, its blocks reserved (IO when the disk is
 * full), shared with every other mapping. Read-only: writes stay private. Unmapped when garbage collected.
 */
export function mapFile(path: string, bytes: number, writable: boolean): ArrayBuffer {
  return guard(() => addon().mapFile(path, bytes, writable));
}

/**
 * Makes shared memory that has no name: gone when this process and all that map it have ended, even by SIGKILL. Other
 * processes of the user find it as /proc/PID/fd/DESCRIPTOR. IO where memory runs out, or the system has no such thing.
 */
export function createSegment(bytes: number): Segment {
  return guard(() => addon().createSegment(bytes));
}

/**
 * Maps a segment or file for reading, with a shared lock on it until the buffer is garbage collected; writes stay
 * private. Null when its owner is just taking it for something else, IO when it is gone.
 */
export function mapSegment(path: string): ArrayBuffer | null {
  return guard(() => addon().mapSegment(path));
}

/** Maps a segment for long: what is written shows to all. Null when it was dropped, IO when it is gone. */
export function openSegment(path: string): SegmentReader | null {
  return guard(() => addon().openSegment(path));
}

/**
 * The segment's memory, to be handed out when `startRead` says so and not to be touched before. Null while there is one
 * already. That the collector hears of so much memory may make it run, so this is for when nobody waits.
 */
export function prepareRead(reader: SegmentReader): ArrayBuffer | null {
  return guard(() => addon().prepareRead(reader));
}

/**
 * Takes a shared lock that ends when the buffer prepared last is garbage collected. False while an earlier buffer lives,
 * while its owner is taking the segment for something else, and once it was dropped.
 */
export function startRead(reader: SegmentReader): boolean {
  return guard(() => addon().startRead(reader));
}

/** Unmaps; a buffer that is only prepared is none any more. False, and nothing done, while one handed out lives. */
export function closeReader(reader: SegmentReader): boolean {
  return guard(() => addon().closeReader(reader));
}

/** Copies on up to eight threads; the event loop goes on meanwhile. Leave both alone until it resolves. */
export async function copyBytes(to: Uint8Array, from: Uint8Array): Promise<void> {
  await guard(() => addon().copyBytes(to, from, false));
}

/** The same, done when it returns. */
export function copyBytesNow(to: Uint8Array, from: Uint8Array): void {
  guard(() => addon().copyBytes(to, from, true));
}

/** Takes the exclusive lock. False while anyone maps the segment. */
export function lockSegment(descriptor: number): boolean {
  return guard(() => addon().lockSegment(descriptor));
}

export function unlockSegment(descriptor: number): void {
  guard(() => addon().unlockSegment(descriptor));
}

/** Closes a segment and detaches its buffer. Its memory is free at once, or when the last reader lets go. */
export function dropSegment({ descriptor, buffer }: Segment): void {
  guard(() => addon().dropSegment(descriptor, buffer));
}

/** The instruction set the processor-specific kernels were chosen for: avx512, avx2 or generic. */
export function instructionSet(): string {
  return guard(() => addon().isa);
}

/** The GPU that the CUDA backend finds; UNSUPPORTED, "no CUDA device: ...", says why there is none. */
export function cudaDevice(): string {
  return guard(() => addon().cudaDevice());
}
