import { actors } from "#protos";
import { type ActorContext, ActorsError, defineActor, isActorsError, pause } from "../../../runtime/index.js";
import { latestWeights, type WeightsRef } from "../weights.js";
import type { Draw, Drawn } from "./dialect.js";
import { dialects, type RemoteBackend } from "./dialects.js";
import { JsonServer, wasOutOfReach } from "./http.js";

export interface RemotePolicyOptions {
  backend: RemoteBackend;
  url: string;
  /** Start of the names of this run's files in shared memory. */
  prefix: string;
  /** Of one generation, where the caller says nothing. */
  timeoutMs: number;
  /** Of one change of weights. */
  loadMs: number;
}

const loads = 3;
const retryMs = 50;
const shortMs = 5_000;

/**
 * A server of another maker as a policy. Weights are Hugging Face folders that it can read too. While they change nothing is drawn:
 * what is under way ends with what it has, so that all tokens of a reply are of one version, and the rest is asked for again.
 */
export class RemotePolicyActor {
  readonly #options: RemotePolicyOptions;
  readonly #server: JsonServer;
  #context: ActorContext | undefined;
  #weights: WeightsRef | null = null;
  /** The server has them. Not after it was out of reach: it may have begun anew. */
  #loaded = false;
  #loading: Promise<void> | undefined;
  /** Changes of weights that have begun. */
  #changes = 0;
  #maxSeqLen: number | null = null;
  #next = 0;
  #active = 0;
  #tokens = 0;

  constructor(options: RemotePolicyOptions) {
    this.#options = options;
    this.#server = new JsonServer(options.url);
  }

  async onStart(context?: ActorContext): Promise<void> {
    this.#context = context;
    const { maxSeqLen } = await this.#dialect.probe(this.#server, { timeoutMs: shortMs });
    this.#maxSeqLen = maxSeqLen;
    const current = await latestWeights(this.#options.prefix);
    if (current) await this.load(current);
  }

  /** Tokens that it holds of a sequence; null: it does not say. */
  maxSeqLen(): number | null {
    return this.#maxSeqLen;
  }

  /** An older version is ignored. @param ref its path is a Hugging Face folder */
  async load(ref: WeightsRef): Promise<number> {
    await this.#loading?.catch(() => {});
    if (ref.version > (this.#weights?.version ?? -1)) {
      this.#weights = ref;
      this.#loaded = false;
    }
    await this.#ensureLoaded();
    return this.#weights!.version;
  }

  /** @throws ActorsError UNAVAILABLE, retryable, before the first weights */
  async generate(request: actors.v1.GenerateRequest.$Properties): Promise<actors.v1.GenerateReply.$Properties> {
    const signal = this.#context?.call.signal;
    const id = `${this.#context?.id ?? "policy"}-${this.#next++}`;
    const abort = () => {
      this.#dialect.abort(this.#server, id, { timeoutMs: shortMs }).catch(() => {}); // it ends by itself
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#active++;
    try {
      const { tokens, logprobs, finish, version } = await this.#draw(drawOf(id, request), signal);
      this.#tokens += tokens.length;
      return {
        tokens: bytesOf(Int32Array.from(tokens)),
        logprobs: bytesOf(Float32Array.from(logprobs)),
        version,
        versions: bytesOf(new Int32Array(tokens.length).fill(version)),
        finish,
      };
    } catch (error) {
      if (wasOutOfReach(error)) this.#loaded = false;
      throw error;
    } finally {
      this.#active--;
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * What was under way when weights changed is of the old ones if the change ended it. Else it may have been drawn before the change or
   * after it: it is drawn again.
   */
  async #draw(draw: Draw, signal: AbortSignal | undefined): Promise<Omit<Drawn, "version"> & { version: number }> {
    const { timeoutMs } = this.#options;
    for (;;) {
      await this.#ensureLoaded();
      if (!this.#loaded) continue; // the next change has begun
      const { version } = this.#weights!;
      const changes = this.#changes;
      const drawn = await this.#dialect.draw(this.#server, draw, { timeoutMs, signal });
      const passed = this.#changes - changes;
      if (passed > (drawn.finish === "abort" ? 1 : 0)) continue;
      this.#examine(drawn, version);
      return { ...drawn, version };
    }
  }

  /** Servers forget by themselves. */
  release(_session: string): void {}

  stats() {
    const version = this.#loaded ? (this.#weights?.version ?? -1) : -1;
    return { version, active: this.#active, running: this.#active, tokens: this.#tokens };
  }

  /** Resolves once the server has the newest weights. */
  async #ensureLoaded(): Promise<void> {
    while (!this.#loaded) {
      const weights = this.#weights;
      if (!weights) throw new ActorsError("UNAVAILABLE", "the policy has no weights yet");
      this.#loading ??= this.#load(weights).finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
  }

  async #load({ path, version }: WeightsRef): Promise<void> {
    const options = { timeoutMs: this.#options.loadMs };
    for (let attempt = 1; ; attempt++) {
      this.#changes++;
      try {
        await this.#dialect.load(this.#server, path, version, options);
        this.#loaded = this.#weights?.version === version; // others may have come meanwhile
        return;
      } catch (error) {
        if (!isActorsError(error) || !error.retryable || attempt === loads) throw error;
        this.#context?.log.warn({ err: error }, "weights could not be loaded; trying again");
        await pause(retryMs * 2 ** attempt);
      }
    }
  }

  /** @throws ActorsError UNAVAILABLE for an answer that cannot be trained on */
  #examine({ tokens, logprobs, version }: Drawn, expected: number): void {
    const at = this.#server.url;
    if (tokens.length !== logprobs.length) {
      const what = `${at} drew ${tokens.length} tokens and told the log-probabilities of ${logprobs.length}`;
      throw new ActorsError("UNAVAILABLE", what, { retryable: false });
    }
    if (version !== null && version !== String(expected)) {
      this.#loaded = false;
      throw new ActorsError("UNAVAILABLE", `${at} drew with weights ${version}, and ${expected} are in force`);
    }
  }

  get #dialect() {
    return dialects[this.#options.backend];
  }
}

function drawOf(id: string, request: actors.v1.GenerateRequest.$Properties): Draw {
  return {
    id,
    tokens: [...new Int32Array(new Uint8Array(request.tokens ?? []).buffer)],
    maxTokens: request.maxTokens ?? 1,
    temperature: request.temperature ?? 0,
    topP: request.topP || 1,
    topK: request.topK ?? 0,
    minP: request.minP ?? 0,
    repetitionPenalty: request.repetitionPenalty || 1,
    presencePenalty: request.presencePenalty ?? 0,
    frequencyPenalty: request.frequencyPenalty ?? 0,
    minTokens: request.minTokens ?? 0,
    seed: request.seed ?? 0,
    stop: [...(request.stop ?? [])],
    stopStrings: [...(request.stopStrings ?? [])],
  };
}

function bytesOf(array: Int32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export const remotePolicyActor = defineActor({
  name: "remote-policy",
  module: import.meta.url,
  class: RemotePolicyActor,
  shared: ["generate", "load", "release", "stats", "maxSeqLen"],
  idempotent: ["generate", "load", "stats", "maxSeqLen"],
  hosting: "process",
  wire: { generate: { request: actors.v1.GenerateRequest, reply: actors.v1.GenerateReply } },
});
