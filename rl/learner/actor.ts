import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Batch, Collective, Learner, type LoraOptions, type ModelConfig } from "../../native/index.js";
import { removeByPrefix } from "../../runtime/cluster/remains.js";
import { type ActorContext, ActorsError, defineActor } from "../../runtime/index.js";
import { hostId } from "../../runtime/objects/limits.js";
import type { WeightsRef } from "../policy/weights.js";
import { copyDurably, dropVersions, shardFile, shardsOf } from "./state.js";
import { runUpdates, type UpdatePlan, type UpdateStats } from "./update.js";

export interface LearnerOptions {
  /** A shape for a fresh model, or the folder of a Hugging Face checkpoint. */
  model: ModelConfig | string;
  /** The folder's model becomes a critic. */
  valueHead?: boolean;
  /** Only adapters learn. */
  lora?: LoraOptions | null;
  seed: number;
  rank: number;
  world: number;
  threads: number;
  gradientCheckpointing: boolean;
  /** Start of the names of this run's files in shared memory. */
  prefix: string;
  /** How long a rank waits for its peers in a collective. */
  collectiveTimeoutMs: number;
}

export interface UpdateRequest {
  plan: UpdatePlan;
  /** The version the updates lead to. Each rank keeps its shard of the state, so that all can come back to it. */
  version: number;
  /** A version that is on its way to disk and must stay; null: none is. */
  saving: number | null;
  /** Write the weights for the policy too. */
  publish: boolean;
}

export interface UpdateReply {
  stats: UpdateStats;
  /** Only from rank 0, when asked to publish. */
  weights: WeightsRef | null;
  commitSeconds: number;
}

/** Where the ranks of a group on several hosts meet. */
export interface Ring {
  /** Of each rank. */
  hosts: string[];
  peers: { host: string; port: number }[];
  secret: string;
}

/** Versions whose state and weights stay in shared memory. The trainer goes back by one at most. */
const keptVersions = 3;

const statePath = (prefix: string, version: number) => `${prefix}state-${version}`;
const weightsPath = (prefix: string, version: number) => `${prefix}weights-${version}`;

/** One data-parallel rank: weights, gradients and its shard of the moments in the native learner. */
export class LearnerActor {
  readonly #options: LearnerOptions;
  #learner: Learner | undefined;
  #collective: Collective | undefined;
  #working: AbortController | undefined;
  #listener: number | undefined;
  /** It drops what the ranks of its host no longer need. */
  #firstOfHost = false;

  constructor(options: LearnerOptions) {
    this.#options = options;
  }

  async onStart(_context?: ActorContext): Promise<void> {
    this.#learner = await this.#fresh();
  }

  async onStop(): Promise<void> {
    this.abort("the learner stops");
    this.#collective?.close();
    this.#learner?.close();
    this.#unlisten();
    // The trainer removes what lies on its own host, where rank 0 is too.
    if (this.#firstOfHost && this.#options.rank !== 0) removeByPrefix(this.#options.prefix);
  }

  config(): ModelConfig {
    return this.#started.config;
  }

  /**
   * Goes to a committed version (null: to where it began, or to the state saved at `origin`) and meets its peers in a new collective. After a death all ranks do
   * this together, with a `generation` no one used before, so that a late message of the old one cannot mix in.
   */
  async resume(
    version: number | null,
    generation: number,
    origin: string | null = null,
    ring: Ring | null = null,
  ): Promise<void> {
    const { rank, world, prefix } = this.#options;
    this.#collective?.close();
    this.#collective = undefined;
    this.#learner?.close(); // a new one has no half-summed gradients
    this.#learner = await this.#fresh();
    this.#firstOfHost = ring === null ? rank === 0 : ring.hosts.indexOf(ring.hosts[rank]!) === rank;
    if (world > 1) this.#collective = await this.#join(generation, ring);
    if (version !== null) {
      const own = shardFile(statePath(prefix, version), rank, world);
      await this.#learner.restoreShard(own, this.#collective ?? null);
    } else if (origin !== null) {
      await this.#learner.loadState(...(await shardsOf(origin)));
    }
  }

  /** The host whose memory this rank's files are in. */
  host(): string {
    return hostId();
  }

  /** Opens a port for the next {@link resume}, for the rank before this one in a ring. */
  listen(): { host: string; port: number } {
    const host = process.env["ACTORS_HOST_ADDRESS"] ?? "127.0.0.1";
    this.#unlisten();
    const { descriptor, port } = Collective.listen(host);
    this.#listener = descriptor;
    return { host, port };
  }

  async #join(generation: number, ring: Ring | null): Promise<Collective> {
    const { rank, world, prefix, collectiveTimeoutMs: timeoutMs } = this.#options;
    if (ring === null) return Collective.join({ path: `${prefix}ring-${generation}`, rank, world, timeoutMs });
    const listener = this.#listener;
    if (listener === undefined) throw new ActorsError("UNAVAILABLE", "this rank is new and does not listen yet");
    this.#listener = undefined;
    return Collective.join({ listener, peers: ring.peers, secret: ring.secret, rank, timeoutMs });
  }

  #unlisten(): void {
    if (this.#listener !== undefined) Collective.unlisten(this.#listener);
    this.#listener = undefined;
  }

  /** @throws ActorsError when a peer is lost, or {@link abort} was called: resume before the next update */
  async update({ plan, version, saving, publish }: UpdateRequest): Promise<UpdateReply> {
    const learner = this.#started;
    if (this.#options.world > 1 && !this.#collective) {
      throw new ActorsError("UNAVAILABLE", "this rank is new and has no version yet", { hint: "Restore all ranks." });
    }
    this.#working = new AbortController();
    try {
      const stats = await runUpdates(learner, this.#collective ?? null, plan, this.#working.signal);
      const started = performance.now();
      const weights = await this.#keep(learner, version, publish, saving);
      return { stats, weights, commitSeconds: (performance.now() - started) / 1000 };
    } finally {
      this.#working = undefined;
    }
  }

  /** log p of each token, 0 at each sequence's first. */
  async logprobs(batch: Pick<Batch, "tokens" | "starts">): Promise<Float32Array> {
    return (await this.#started.logprobs(batch)).logp;
  }

  /** Of a critic: what it expects before each token, 0 at each sequence's first. */
  async values(batch: Pick<Batch, "tokens" | "starts">): Promise<Float32Array> {
    return this.#started.values(batch);
  }

  /** Keeps the state as it is, as a version, and publishes its weights where asked: what there is before the first update. */
  async commit(version: number, publish: boolean): Promise<WeightsRef | null> {
    return this.#keep(this.#started, version, publish, null);
  }

  /** Ends an update that waits for a dead peer. */
  abort(reason: string): void {
    this.#working?.abort(new ActorsError("CANCELLED", reason));
    this.#collective?.abort(reason);
  }

  /** Copies this rank's shard of a version it keeps to a state's folder, beside whatever else it does; on disk when it resolves. */
  async saveState(version: number, folder: string): Promise<void> {
    const { prefix, rank, world } = this.#options;
    await copyDurably(shardFile(statePath(prefix, version), rank, world), shardFile(folder, rank, world));
  }

  /** Writes a folder that transformers can load, and of adapters in it one, `adapter`, that PEFT can. */
  async save(folder: string): Promise<void> {
    await this.#started.save(folder);
    if (this.#options.lora) await this.#started.saveAdapters(join(folder, "adapter"));
  }

  async #keep(learner: Learner, version: number, publish: boolean, saving: number | null): Promise<WeightsRef | null> {
    const { prefix, rank, world } = this.#options;
    const state = statePath(prefix, version);
    await mkdir(state, { recursive: true });
    await learner.saveState(shardFile(state, rank, world));
    if (rank !== 0) {
      if (this.#firstOfHost) await dropVersions(prefix, version - keptVersions, saving);
      return null;
    }
    const [path, spare] = [weightsPath(prefix, version), weightsPath(prefix, version - keptVersions)];
    const weights = publish ? { version, path, ...(await learner.publish(path, spare)) } : null;
    await dropVersions(prefix, version - keptVersions, saving);
    return weights;
  }

  async #fresh(): Promise<Learner> {
    const { model, seed, rank, world, threads, gradientCheckpointing, valueHead = false, lora = null } = this.#options;
    const shaped = typeof model !== "string";
    const learner = shaped
      ? Learner.create(model, seed, { threads, gradientCheckpointing })
      : await Learner.load(model, { threads, gradientCheckpointing, valueHead });
    if (lora) await learner.adapt(lora, seed);
    await learner.shard(rank, world);
    return learner;
  }

  get #started(): Learner {
    if (this.#learner) return this.#learner;
    throw new ActorsError("UNAVAILABLE", "the learner has not started");
  }
}

export const learnerActor = defineActor({
  name: "learner",
  module: import.meta.url,
  class: LearnerActor,
  shared: ["abort", "saveState"],
  idempotent: ["resume", "config", "host", "listen", "abort", "save", "saveState", "commit", "logprobs", "values"],
  hosting: "process",
});
