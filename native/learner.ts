import { addon, cancellable, guard, type NativeLearner } from "./addon.js";
import { type Collective, nativeOf } from "./collective.js";
import type {
  Batch,
  LearnerSettings,
  Logprobs,
  LoraOptions,
  LossSpec,
  LossStats,
  ModelConfig,
  OptimOptions,
  OptimResult,
  Published,
  SaveOptions,
} from "./types.js";

/**
 * A model being trained: weights, gradients and AdamW moments in fp32. Calls run one after the other on a thread of the
 * learner's own, in the order they were made. After close() every call, those under way included, rejects with CLOSED.
 */
export class Learner {
  readonly config: ModelConfig;
  readonly #native: NativeLearner;

  private constructor(native: NativeLearner) {
    this.#native = native;
    this.config = native.config();
  }

  /** Fresh weights; the same seed gives the same weights everywhere. */
  static create(config: ModelConfig, seed: number, options?: LearnerSettings): Learner {
    return guard(() => new Learner(addon().learnerCreate(config, seed, options)));
  }

  /**
   * From a Hugging Face folder: config.json and model.safetensors or its shards (F32, BF16 or F16). UNSUPPORTED names
   * the first field of the config that we do not compute. With `valueHead` a language model's folder gives a critic: its
   * trunk, and a head that says 0.
   */
  static load(
    dir: string,
    options?: LearnerSettings & { valueHead?: boolean },
    signal?: AbortSignal,
  ): Promise<Learner> {
    return cancellable(signal, async (flag) => new Learner(await addon().learnerLoad(dir, options, flag)));
  }

  /** Adds the loss's gradient to the gradients. A call that rejects drops all gradients accumulated so far. */
  forwardBackward(batch: Batch, loss: LossSpec, signal?: AbortSignal): Promise<LossStats> {
    return cancellable(signal, (flag) => this.#native.forwardBackward(batch, loss, flag));
  }

  logprobs(batch: Pick<Batch, "tokens" | "starts">, signal?: AbortSignal): Promise<Logprobs> {
    return cancellable(signal, (flag) => this.#native.logprobs(batch, flag));
  }

  /** Of a model with a value head: what it expects at the moment before each token; 0 at each sequence's first. */
  values(batch: Pick<Batch, "tokens" | "starts">, signal?: AbortSignal): Promise<Float32Array> {
    return cancellable(signal, (flag) => this.#native.values(batch, flag));
  }

  /** The logits [tokens, vocabSize] after each token of one sequence. */
  logits(tokens: Int32Array, signal?: AbortSignal): Promise<Float32Array> {
    return cancellable(signal, (flag) => this.#native.logits(tokens, flag));
  }

  /**
   * This learner is one rank of `world` from now on, and keeps the AdamW moments of its shard only (ZeRO-1); they start anew. Each
   * step then needs the ranks' collective.
   */
  shard(rank: number, world: number): Promise<void> {
    return cancellable(undefined, () => this.#native.shard(rank, world));
  }

  /**
   * Sums gradients over the ranks in rank order, takes one AdamW step, and sets the gradients to zero; all ranks then have the same
   * weights, bit for bit. Gradients that are not finite change no weight: see `reason`. A call that rejects for a lost rank leaves
   * weights and moments half updated: go back to a saved state.
   */
  optimStep(options: OptimOptions, ranks: Collective | null = null, signal?: AbortSignal): Promise<OptimResult> {
    return cancellable(signal, (flag) => this.#native.optimStep(options, ranks && nativeOf(ranks), flag));
  }

  /**
   * Writes the weights for engines of this host (safetensors), beside `path`, then renames. `spare` names a published file that no
   * engine will read any more: the new one takes its place in memory, which is faster.
   */
  publish(path: string, spare: string | null = null): Promise<Published> {
    return cancellable(undefined, () => this.#native.publish(path, spare));
  }

  /** Writes this rank's shard of the weights and moments, and the step count, atomically. */
  saveState(path: string): Promise<void> {
    return cancellable(undefined, () => this.#native.saveState(path));
  }

  /**
   * From the shards of every rank of one save, in their order: the same bits on any number of ranks. On an error the learner is as
   * it was before.
   */
  loadState(...shards: string[]): Promise<void> {
    return cancellable(undefined, () => this.#native.loadState(shards));
  }

  /**
   * From this rank's own shard of a save by as many ranks; the weights that others keep come from them. All ranks call it. A call
   * that rejects leaves the learner half restored.
   */
  restoreShard(path: string, ranks: Collective | null, signal?: AbortSignal): Promise<void> {
    return cancellable(signal, (flag) => this.#native.restoreShard(path, ranks && nativeOf(ranks), flag));
  }

  /** Writes a Hugging Face folder that transformers loads. */
  save(dir: string, options: SaveOptions = {}): Promise<void> {
    return cancellable(undefined, () => this.#native.save(dir, options));
  }

  /**
   * From now on only adapters learn; the optimizer starts anew. What predicts, is published and is saved are the merged
   * matrices; saveState keeps adapters and moments, for a learner of the same base weights that was adapted alike.
   */
  adapt(lora: LoraOptions, seed: number): Promise<void> {
    return cancellable(undefined, () => this.#native.adapt(lora, seed));
  }

  /** Writes a folder that PEFT loads: adapter_config.json and adapter_model.safetensors. */
  saveAdapters(dir: string): Promise<void> {
    return cancellable(undefined, () => this.#native.saveAdapters(dir));
  }

  /** From a folder of PEFT's. INVALID_ARGUMENT for another rank, alpha or other projections than it was adapted with. */
  loadAdapters(dir: string): Promise<void> {
    return cancellable(undefined, () => this.#native.loadAdapters(dir));
  }

  /** Copies, by transformers' parameter names, for tests; waits for the call under way. */
  gradients(): Record<string, Float32Array> {
    return guard(() => this.#native.gradients());
  }

  parameters(): Record<string, Float32Array> {
    return guard(() => this.#native.parameters());
  }

  close(): void {
    this.#native.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
