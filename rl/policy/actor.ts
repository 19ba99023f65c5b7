import { actors } from "#protos";
import { Engine, type ModelConfig } from "../../native/index.js";
import { type ActorContext, ActorsError, defineActor } from "../../runtime/index.js";
import { latestWeights, type WeightsRef } from "./weights.js";

export interface PolicyOptions {
  model: ModelConfig;
  /** Sequences decoded together. */
  maxSequences: number;
  threads: number;
  /** Start of the names of this run's files in shared memory. */
  prefix: string;
}

type Finished = Awaited<ReturnType<Engine["run"]>>[number];

interface Waiting {
  resolve(finished: Finished): void;
  reject(error: Error): void;
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
      await this.#started.loadWeights(ref.path, ref.version);
      this.#version = ref.version;
    }
    return this.#version;
  }

  /** @throws ActorsError UNAVAILABLE, retryable, before the first weights */
  async generate(request: actors.v1.GenerateRequest.$Properties): Promise<actors.v1.GenerateReply.$Properties> {
    const signal = this.#context?.call.signal;
    if (this.#version < 0) throw new ActorsError("UNAVAILABLE", "the policy has no weights yet");
    const engine = this.#started;
    const id = engine.submit({
      tokens: new Int32Array(new Uint8Array(request.tokens ?? []).buffer),
      maxTokens: request.maxTokens ?? 1,
      temperature: request.temperature ?? 0,
      stop: request.stop ?? [],
      seed: request.seed ?? 0,
      ...(request.topK && { topK: request.topK }),
      ...(request.topP && { topP: request.topP }),
      ...(request.session && { session: request.session }),
    });
    const cancel = () => {
      engine.abort(id);
      this.#settle(id, (waiting) => waiting.reject(new ActorsError("CANCELLED", "the caller no longer waits")));
    };
    try {
      const { tokens, logprobs, version, versions, finish } = await new Promise<Finished>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        signal?.addEventListener("abort", cancel, { once: true });
        void this.#pump(engine);
      });
      this.#tokens += tokens.length;
      return { tokens: bytesOf(tokens), logprobs: bytesOf(logprobs), version, versions: bytesOf(versions), finish };
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Frees the keys and values kept for the turns of an episode. */
  release(session: string): void {
    this.#engine?.release(session);
  }

  stats(): { version: number; active: number; tokens: number } {
    return { version: this.#version, active: this.#waiting.size, tokens: this.#tokens };
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
      }
    } catch (cause) {
      const error = new ActorsError("UNAVAILABLE", `the engine failed: ${(cause as Error).message}`, { cause });
      for (const id of [...this.#waiting.keys()]) {
        engine.abort(id);
        this.#settle(id, (waiting) => waiting.reject(error));
      }
    } finally {
      this.#pumping = false;
    }
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

function bytesOf(array: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export const policyActor = defineActor({
  name: "policy",
  module: import.meta.url,
  class: PolicyActor,
  shared: ["generate", "load", "release", "stats"],
  idempotent: ["generate", "load", "stats"],
  hosting: "process",
  wire: { generate: { request: actors.v1.GenerateRequest, reply: actors.v1.GenerateReply } },
});
