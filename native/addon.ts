// Loading the compiled addon, and the one place where its errors become NativeErrors.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { NativeError } from "./error.js";
import type {
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
} from "./types.js";

/** A word the addon polls: 1 cancels the call it was passed to. */
type Flag = Int32Array;

export interface NativeLearner {
  config(): ModelConfig;
  forwardBackward(batch: Batch, loss: LossSpec, flag: Flag): Promise<LossStats>;
  logprobs(batch: Pick<Batch, "tokens" | "starts">, flag: Flag): Promise<Logprobs>;
  adapt(lora: LoraOptions, seed: number): Promise<void>;
  saveAdapters(dir: string): Promise<void>;
  loadAdapters(dir: string): Promise<void>;
  values(batch: Pick<Batch, "tokens" | "starts">, flag: Flag): Promise<Float32Array>;
  logits(tokens: Int32Array, flag: Flag): Promise<Float32Array>;
  shard(rank: number, world: number): Promise<void>;
  optimStep(options: OptimOptions, ranks: NativeCollective | null, flag: Flag): Promise<OptimResult>;
  publish(path: string, spare: string | null): Promise<Published>;
  saveState(path: string): Promise<void>;
  loadState(shards: readonly string[]): Promise<void>;
  restoreShard(path: string, ranks: NativeCollective | null, flag: Flag): Promise<void>;
  save(dir: string, options: SaveOptions): Promise<void>;
  gradients(): Record<string, Float32Array>;
  parameters(): Record<string, Float32Array>;
  close(): void;
}

export interface NativeEngine {
  loadWeights(path: string, version: number, kv: KvPolicy): Promise<void>;
  setVocabulary(bytes: Uint8Array, ends: Int32Array): void;
  submit(request: GenerationRequest): number;
  run(maxSteps: number, flag: Flag): Promise<Generation[]>;
  abort(id: number): void;
  release(session: string): void;
  pause(mode: PauseMode, clearCache: boolean): void;
  resume(): void;
  stats(): EngineStats;
  close(): void;
}

export interface NativeCollective {
  allReduce(x: Float32Array, flag: Flag): Promise<void>;
  barrier(flag: Flag): Promise<void>;
  abort(reason: string): void;
  close(): void;
}

/** Shared memory without a name, open in this process. */
export interface Segment {
  readonly descriptor: number;
  readonly buffer: ArrayBuffer;
}

declare const opaque: unique symbol;
/** A lasting mapping of another process's segment. */
export interface SegmentReader {
  readonly [opaque]: true;
}

interface Addon {
  readonly isa: string;
  learnerCreate(config: ModelConfig, seed: number, options?: LearnerSettings): NativeLearner;
  learnerLoad(
    dir: string,
    options: (LearnerSettings & { valueHead?: boolean }) | undefined,
    flag: Flag,
  ): Promise<NativeLearner>;
  engineOpen(config: ModelConfig, options: EngineOptions): NativeEngine;
  collectiveJoin(options: CollectiveOptions | RingOptions, flag: Flag): Promise<NativeCollective>;
  collectiveListen(host: string): { descriptor: number; port: number };
  collectiveUnlisten(descriptor: number): void;
  mapFile(path: string, bytes: number, writable: boolean): ArrayBuffer;
  createSegment(bytes: number): Segment;
  mapSegment(path: string): ArrayBuffer | null;
  openSegment(path: string): SegmentReader | null;
  prepareRead(reader: SegmentReader): ArrayBuffer | null;
  startRead(reader: SegmentReader): boolean;
  closeReader(reader: SegmentReader): boolean;
  copyBytes(to: Uint8Array, from: Uint8Array, now: boolean): Promise<void> | undefined;
  lockSegment(descriptor: number): boolean;
  unlockSegment(descriptor: number): void;
  dropSegment(descriptor: number, buffer: ArrayBuffer): void;
  setParentDeathSignal(signal: number): boolean;
  dieWithLease(path: string): void;
  redirectOutput(path: string): void;
  machineMs(): number;
  cudaDevice(): string;
}

let loaded: Addon | undefined;

/** The addon, loaded at first use. NOT_BUILT says how to build it. */
export function addon(): Addon {
  if (loaded === undefined) {
    const file = process.env.ACTORS_NATIVE ?? locate();
    try {
      loaded = createRequire(import.meta.url)(file) as Addon;
    } catch (cause) {
      const missing = !fs.existsSync(file);
      const why = missing ? `${file} does not exist` : `${file} does not load (${(cause as Error).message})`;
      const fix = missing ? "node native/build.mjs" : "node native/build.mjs --force";
      throw new NativeError("NOT_BUILT", `native code is not built: ${why}; run \`${fix}\``, { cause });
    }
  }
  return loaded;
}

/** native/build/ at the root of the package, whichever depth this file was compiled to. */
function locate(): string {
  let dir = path.dirname(fileURLToPath(import.meta.url));
  while (!fs.existsSync(path.join(dir, "package.json")) && path.dirname(dir) !== dir) dir = path.dirname(dir);
  return path.join(dir, "native", "build", "actors_native.node");
}

/** Runs a synchronous native call. */
export function guard<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw NativeError.from(error);
  }
}

/** Runs an asynchronous native call that `signal` can cancel: it then rejects with ABORTED within a step. */
export async function cancellable<T>(signal: AbortSignal | undefined, start: (flag: Flag) => Promise<T>): Promise<T> {
  const flag = new Int32Array(1);
  if (signal?.aborted) {
    throw new NativeError("ABORTED", "the call was aborted by its signal", { cause: signal.reason });
  }
  const abort = () => Atomics.store(flag, 0, 1);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await start(flag);
  } catch (error) {
    throw NativeError.from(error);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
