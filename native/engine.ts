import { addon, cancellable, guard, type NativeEngine } from "./addon.js";
import type {
  EngineOptions,
  EngineStats,
  Generation,
  GenerationRequest,
  KvPolicy,
  ModelConfig,
  PauseMode,
} from "./types.js";

/**
 * Batched generation with a paged key-value cache and continuous batching. A sequence's tokens and log-probabilities
 * depend on (weights, prompt, seed) alone, not on its neighbours. Whoever begins like another takes over its cached keys
 * and values. Decoding happens off the event loop, inside run().
 */
export class Engine {
  readonly #native: NativeEngine;

  private constructor(native: NativeEngine) {
    this.#native = native;
  }

  static open(config: ModelConfig, options: EngineOptions): Engine {
    return guard(() => new Engine(addon().engineOpen(config, options)));
  }

  /**
   * Reads a published file while decoding goes on; new weights take effect between two decode steps. Sequences in
   * flight continue under them: with `recompute` every log-probability is exact for its version; with `keep` they read
   * the older weights' keys and values, which costs nothing and is not exact.
   */
  loadWeights(path: string, version: number, kv: KvPolicy = "recompute"): Promise<void> {
    return cancellable(undefined, () => this.#native.loadWeights(path, version, kv));
  }

  /** The bytes of every token's text, by id. Stop strings are looked for in them, across the borders of tokens. */
  setVocabulary(tokens: readonly Uint8Array[]): void {
    let end = 0;
    const ends = Int32Array.from(tokens, (bytes) => (end += bytes.length));
    const all = new Uint8Array(end);
    for (const [i, bytes] of tokens.entries()) all.set(bytes, ends[i]! - bytes.length);
    guard(() => this.#native.setVocabulary(all, ends));
  }

  /** Queues a request; beyond maxSequences they wait in order. One turn of a session at a time. */
  submit(request: GenerationRequest): number {
    return guard(() => this.#native.submit(request));
  }

  /**
   * Up to maxSteps decode steps. Resolves as soon as any sequence finishes, with all that finished in that step; with
   * nothing when the steps ran out or no request is left. Aborting it loses nothing: requests go on in the next run.
   */
  run(maxSteps: number, signal?: AbortSignal): Promise<Generation[]> {
    return cancellable(signal, (flag) => this.#native.run(maxSteps, flag));
  }

  /** Drops a request: it will not be among the finished. Unknown ids are ignored. */
  abort(id: number): void {
    guard(() => this.#native.abort(id));
  }

  /** Frees a session's cache. */
  release(session: string): void {
    guard(() => this.#native.release(session));
  }

  /**
   * Takes effect before the next decode step; requests submitted meanwhile wait. `keep` stands still and goes on after
   * resume(); `wait` finishes what runs; `abort` ends every request with what it has, for the next run() to return.
   * `clearCache` frees what finished sequences left, and has those in flight recompute theirs.
   */
  pause(mode: PauseMode, clearCache = false): void {
    guard(() => this.#native.pause(mode, clearCache));
  }

  resume(): void {
    guard(() => this.#native.resume());
  }

  get stats(): EngineStats {
    return guard(() => this.#native.stats());
  }

  /** Requests submitted and neither returned nor aborted. */
  get active(): number {
    return this.stats.active;
  }

  close(): void {
    this.#native.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
