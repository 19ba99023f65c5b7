import { addon, cancellable, guard, type NativeEngine } from "./addon.js";
import type { EngineOptions, Generation, GenerationRequest, ModelConfig } from "./types.js";

/**
 * Batched generation with a paged key-value cache and continuous batching. A sequence's tokens and log-probabilities
 * depend on (weights, prompt, seed) alone, not on its neighbours. Decoding happens off the event loop, inside run().
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
   * flight continue under them with their cache recomputed, so every log-probability is exact for its version.
   */
  loadWeights(path: string, version: number): Promise<void> {
    return cancellable(undefined, () => this.#native.loadWeights(path, version));
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

  /** Requests submitted and neither returned nor aborted. */
  get active(): number {
    return guard(() => this.#native.active());
  }

  close(): void {
    this.#native.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
