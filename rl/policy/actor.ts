import { actors } from "#protos";
import { Engine, type KvPolicy, type ModelConfig, type PauseMode } from "../../native/index.js";
import { type ActorContext, ActorsError, defineActor } from "../../runtime/index.js";
import { type EnvironmentRef, loadEnvironment } from "../rollout/environment-ref.js";
import { tokenBytes } from "../tokenizers/token-bytes.js";
import { latestWeights, type WeightsRef } from "./weights.js";

export interface PolicyOptions {
  model: ModelConfig;
  /** Sequences decoded together. */
  maxSequences: number;
  threads: number;
  /** Start of the names of this run's files in shared memory. */
  prefix: string;
  /** Whose tokenizer stop strings are looked for with; without it there can be none. */
  environment?: EnvironmentRef;
  /** What becomes of the keys and values of sequences under way when weights change; by default they are computed again. */
  kv?: KvPolicy;
}

type Finished = Awaited<ReturnType<Engine["run"]>>[number];

interface Waiting {
  resolve(finished: Finished): void;
  reject(error: Error): void;
}

interface Pause {
  mode: PauseMode;
  /** The engine stands still. */
  still: PromiseWithResolver;
  resumed: PromiseWithResolver;
}

type PromiseWithResolver = { promise: Promise<void>; resolve: () => void };

function deferred(): PromiseWithResolver {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Decode steps of one native call; it comes back earlier when a sequence ends. */
const stepsAtOnce = 64;

/** Samples tokens with the newest weights it was given. All callers' sequences share one continuous batch. */
export class PolicyActor {
  readonly #options: PolicyOptions;
  readonly #waiting = new Map<number, Waiting>();
  #context: ActorContext | undefined;
  #engine: Engine | undefined;
  #version = -1;
  #pumping = false;
  #pause: Pause | undefined;
  #vocabulary: Promise<void> | undefined;
  #tokens = 0;

  constructor(options: PolicyOptions) {
    this.#options = options;
  }

  /** A restarted policy takes the weights that are in force before it serves. */
  async onStart(context?: ActorContext): Promise<void> {
    const { model, maxSequences, threads, prefix } = this.#options;
    this.#context = context;
    this.#engine = Engine.open(model, { maxSequences, threads });
    const current = await latestWeights(prefix);
    if (current) await this.load(current);
  }

  async onStop(): Promise<void> {
    this.#engine?.close();
  }

  /** Takes effect between two decode steps, also of sequences that are under way. An older version is ignored. */
  async load(ref: WeightsRef): Promise<number> {
    if (ref.version > this.#version) {
      await this.#started.loadWeights(ref.path, ref.version, this.#options.kv ?? "recompute");
      this.#version = ref.version;
    }
    return this.#version;
  }

  /** @throws ActorsError UNAVAILABLE, retryable, before the first weights */
  async generate(request: actors.v1.GenerateRequest.$Properties): Promise<actors.v1.GenerateReply.$Properties> {
    const signal = this.#context?.call.signal;
    if (this.#version < 0) throw new ActorsError("UNAVAILABLE", "the policy has no weights yet");
    const engine = this.#started;
    if (request.stopStrings?.length) await this.#learnVocabulary(engine);
    const id = engine.submit({
      tokens: new Int32Array(new Uint8Array(request.tokens ?? []).buffer),
      maxTokens: request.maxTokens ?? 1,
      temperature: request.temperature ?? 0,
      stop: request.stop ?? [],
      seed: request.seed ?? 0,
      ...(request.topK && { topK: request.topK }),
      ...(request.topP && { topP: request.topP }),
      ...(request.minP && { minP: request.minP }),
      ...(request.repetitionPenalty && { repetitionPenalty: request.repetitionPenalty }),
      ...(request.presencePenalty && { presencePenalty: request.presencePenalty }),
      ...(request.frequencyPenalty && { frequencyPenalty: request.frequencyPenalty }),
      ...(request.minTokens && { minTokens: request.minTokens }),
      ...(request.logprobs && { logprobs: request.logprobs }),
      ...(request.stopStrings && { stopStrings: request.stopStrings }),
      ...(request.session && { session: request.session }),
    });
    const cancel = () => {
      engine.abort(id);
      this.#settle(id, (waiting) => waiting.reject(new ActorsError("CANCELLED", "the caller no longer waits")));
    };
    try {
      const { tokens, logprobs, version, versions, finish, stopString, topTokens, topLogprobs } =
        await new Promise<Finished>((resolve, reject) => {
          this.#waiting.set(id, { resolve, reject });
          signal?.addEventListener("abort", cancel, { once: true });
          void this.#pump(engine);
        });
      this.#tokens += tokens.length;
      return {
        tokens: bytesOf(tokens),
        logprobs: bytesOf(logprobs),
        version: Math.max(0, version),
        versions: bytesOf(versions),
        finish,
        stopString: stopString ?? "",
        topTokens: bytesOf(topTokens),
        topLogprobs: bytesOf(topLogprobs),
      };
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /**
   * Resolves when the engine stands still. Requests in flight: `abort` ends them with what they have, `wait` lets them
   * finish, `keep` has them go on after `resume`. New ones wait. `clearCache` has keys and values computed again.
   */
  async pause({ mode = "abort", clearCache = true }: { mode?: PauseMode; clearCache?: boolean } = {}): Promise<void> {
    this.#pause = { still: deferred(), resumed: deferred(), ...this.#pause, mode };
    this.#started.pause(mode, clearCache);
    if (!this.#pumping) this.#pause.still.resolve();
    await this.#pause.still.promise;
  }

  resume(): void {
    this.#started.resume();
    this.#pause?.still.resolve();
    this.#pause?.resumed.resolve();
    this.#pause = undefined;
  }

  /** Frees the keys and values kept for the turns of an episode. */
  release(session: string): void {
    this.#engine?.release(session);
  }

  /** running: sequences that are being decoded; computed, reused: tokens so far whose keys and values were. */
  stats() {
    const { running = 0, computed = 0, reused = 0 } = this.#engine?.stats ?? {};
    return {
      version: this.#version,
      active: this.#waiting.size,
      running,
      tokens: this.#tokens,
      computed,
      reused,
      paused: this.#pause !== undefined,
    };
  }

  /** Decodes while anyone waits. */
  async #pump(engine: Engine): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#waiting.size > 0) {
        for (const finished of await engine.run(stepsAtOnce)) {
          this.#settle(finished.id, (waiting) => waiting.resolve(finished));
        }
        await this.#standStill(engine);
      }
    } catch (cause) {
      const error = new ActorsError("UNAVAILABLE", `the engine failed: ${(cause as Error).message}`, { cause });
      for (const id of [...this.#waiting.keys()]) {
        engine.abort(id);
        this.#settle(id, (waiting) => waiting.reject(error));
      }
    } finally {
      this.#pumping = false;
      this.#pause?.still.resolve();
    }
  }

  async #standStill(engine: Engine): Promise<void> {
    const pause = this.#pause;
    if (!pause || (pause.mode !== "keep" && engine.stats.running > 0)) return;
    pause.still.resolve();
    await pause.resumed.promise;
  }

  /** At the first stop string: tokenizers are large. */
  #learnVocabulary(engine: Engine): Promise<void> {
    const { environment } = this.#options;
    if (!environment)
      throw new ActorsError("INVALID_ARGUMENT", "the policy knows no tokenizer to look for stop strings with");
    this.#vocabulary ??= loadEnvironment(environment).then(({ tokenizer }) =>
      engine.setVocabulary(tokenBytes(tokenizer)),
    );
    return this.#vocabulary;
  }

  #settle(id: number, how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting) how(waiting);
  }

  get #started(): Engine {
    if (this.#engine) return this.#engine;
    throw new ActorsError("UNAVAILABLE", "the policy has not started");
  }
}

/** What a run needs of who samples for it, whatever engine that has. */
export type Policy = Pick<PolicyActor, "generate" | "load" | "release">;

function bytesOf(array: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export const policyActor = defineActor({
  name: "policy",
  module: import.meta.url,
  class: PolicyActor,
  shared: ["generate", "load", "pause", "release", "resume", "stats"],
  idempotent: ["generate", "load", "pause", "resume", "stats"],
  hosting: "process",
  wire: { generate: { request: actors.v1.GenerateRequest, reply: actors.v1.GenerateReply } },
});
