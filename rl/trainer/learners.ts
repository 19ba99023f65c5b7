import { randomBytes } from "node:crypto";
import type { ModelConfig } from "../../native/index.js";
import { ActorsError, type Handle, isActorsError, withDeadline } from "../../runtime/index.js";
import type { LearnerActor, Ring, UpdateReply } from "../learner/actor.js";
import { microBatches, type PackedBatch } from "../learner/batch.js";
import type { UpdatePlan, UpdateStats } from "../learner/update.js";
import type { WeightsRef } from "../policy/weights.js";

export interface UpdateResult {
  /** One of each rank. */
  stats: UpdateStats[];
  /** The version the learner is at now. */
  version: number;
  weights: WeightsRef | null;
  commitSeconds: number;
}

/** A version of the learner's whole state on disk. */
export interface SavedState {
  version: number;
  path: string;
}

export interface LearnerGroupOptions {
  /** Of one update, and of one restore. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Told in one line what died and what was done. */
  line(text: string): void;
}

/** Recoveries of one update; a rank that dies this often will die again. */
const maxRecoveries = 5;

/**
 * The ranks of the learner as one: an update is done by all of them or by none. When a rank dies on the way, all go back to the last
 * committed version in a new collective, and the update is done again on the same batch.
 */
export class LearnerGroup {
  readonly #ranks: readonly Handle<LearnerActor>[];
  readonly #options: LearnerGroupOptions;
  #committed: number | null = null;
  #saving: number | null = null;
  #origin: SavedState | null = null;
  #generation = 0;

  constructor(ranks: readonly Handle<LearnerActor>[], options: LearnerGroupOptions) {
    this.#ranks = ranks;
    this.#options = options;
  }

  get world(): number {
    return this.#ranks.length;
  }

  /** The last version that every rank can come back to; null before the first. */
  get committed(): number | null {
    return this.#committed;
  }

  /** Lets the ranks meet: as they are, or at a saved state. */
  async start(origin: SavedState | null = null): Promise<ModelConfig> {
    this.#origin = origin;
    await this.#restore();
    return this.#first.config();
  }

  /** One plan a rank. */
  async update(plans: readonly UpdatePlan[], publish: boolean): Promise<UpdateResult> {
    const version = (this.#committed ?? -1) + 1;
    const replies = await this.#survive(`the update to version ${version}`, () =>
      this.#together((rank, i) =>
        rank.update.with(this.#call)({ plan: plans[i]!, version, saving: this.#saving, publish }),
      ),
    );
    this.#committed = version;
    return {
      stats: replies.map((reply: UpdateReply) => reply.stats),
      version,
      weights: replies[0]!.weights,
      commitSeconds: replies[0]!.commitSeconds,
    };
  }

  /** What critics expect before each token of a batch; the ranks share the work. */
  values(batch: PackedBatch, maxTokens: number): Promise<Float32Array> {
    return this.#shared("values", batch, maxTokens);
  }

  /** log p of each token of a batch, 0 at each sequence's first; the ranks share the work. */
  logprobs(batch: PackedBatch, maxTokens: number): Promise<Float32Array> {
    return this.#shared("logprobs", batch, maxTokens);
  }

  async #shared(what: "values" | "logprobs", batch: PackedBatch, maxTokens: number): Promise<Float32Array> {
    const parts = [...microBatches(batch, maxTokens)];
    const computed_N = new Float32Array(batch.tokens_N.length);
    await this.#survive(`computing ${what}`, () =>
      this.#together(async (rank, i) => {
        for (const [p, { from, to, starts }] of parts.entries()) {
          if (p % this.world !== i) continue;
          const part = { tokens: batch.tokens_N.slice(from, to), starts };
          computed_N.set(await rank[what].with(this.#call)(part), from);
        }
      }),
    );
    return computed_N;
  }

  /** Makes the present state a version and its weights readable: the next one, or the one of the saved state it is at. */
  async publish(): Promise<WeightsRef> {
    return (await this.#commit(true))!;
  }

  /** Makes the present state a version that can be saved. */
  async commit(): Promise<void> {
    await this.#commit(false);
  }

  async #commit(publish: boolean): Promise<WeightsRef | null> {
    const version = this.#committed === null && this.#origin ? this.#origin.version : (this.#committed ?? -1) + 1;
    const [weights] = await this.#survive(`keeping version ${version}`, () =>
      this.#together((rank) => rank.commit.with(this.#call)(version, publish)),
    );
    this.#committed = version;
    return weights!;
  }

  /**
   * Has each rank write its shard of the present version to a folder; on disk when it resolves. The ranks copy what they keep of it, so
   * updates go on meanwhile. One at a time.
   */
  async saveState(folder: string, timeoutMs: number): Promise<void> {
    const version = this.#committed!;
    const options = { timeoutMs, signal: this.#options.signal };
    this.#saving = version;
    try {
      for (let attempt = 1; ; attempt++) {
        const copies = this.#ranks.map((rank) => rank.saveState.with(options)(version, folder));
        const failed = (await Promise.allSettled(copies)).find((copy) => copy.status === "rejected");
        if (!failed) return;
        // What a rank that died kept is still there for the one that takes its place.
        if (options.signal.aborted || !canRecover(failed.reason) || attempt > maxRecoveries) throw failed.reason;
      }
    } finally {
      this.#saving = null;
    }
  }

  async save(folder: string, timeoutMs: number): Promise<void> {
    const save = this.#first.save.with({ timeoutMs });
    await this.#survive("saving the checkpoint", () => save(folder));
  }

  get #first(): Handle<LearnerActor> {
    return this.#ranks[0]!;
  }

  get #call() {
    return { timeoutMs: this.#options.timeoutMs, signal: this.#options.signal };
  }

  async #survive<T>(what: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (this.#options.signal.aborted || !canRecover(error) || attempt > maxRecoveries) throw error;
        await this.#recover(what, error as Error, attempt);
      }
    }
  }

  async #recover(what: string, error: Error, attempt: number): Promise<void> {
    const started = performance.now();
    try {
      await this.#restore();
    } catch (again) {
      if (this.#options.signal.aborted || !canRecover(again) || attempt > maxRecoveries) throw again;
      return this.#recover(what, again as Error, attempt + 1);
    }
    const back =
      this.#committed === null ? (this.#origin ? "the saved state" : "the start") : `version ${this.#committed}`;
    const ms = Math.round(performance.now() - started);
    this.#options.line(
      `${what} failed (${plain(error)}); all ${this.world} ranks went back to ${back} in collective ${this.#generation} after ${ms} ms, and do it again`,
    );
  }

  async #restore(): Promise<void> {
    const generation = ++this.#generation;
    const origin = this.#committed === null ? (this.#origin?.path ?? null) : null;
    const ring = await this.#meeting();
    await this.#together((rank) => rank.resume.with(this.#call)(this.#committed, generation, origin, ring));
  }

  /** Ranks of one host meet in its memory; those of several get a ring with a secret of its own. */
  async #meeting(): Promise<Ring | null> {
    if (this.world === 1) return null;
    const hosts = await this.#together((rank) => rank.host.with(this.#call)());
    if (new Set(hosts).size === 1) return null;
    const peers = await this.#together((rank) => rank.listen.with(this.#call)());
    return { hosts, peers, secret: randomBytes(32).toString("hex") };
  }

  /** Calls every rank at once. At the first failure the others are told not to wait for it, and the failure that began it is thrown. */
  async #together<T>(call: (rank: Handle<LearnerActor>, i: number) => Promise<T>): Promise<T[]> {
    let first: { rank: number; error: unknown } | undefined;
    const calls = this.#ranks.map(async (rank, i) => {
      try {
        return await call(rank, i);
      } catch (error) {
        if (!first) {
          first = { rank: i, error };
          const reason = `rank ${i} is lost`;
          for (const [other, handle] of this.#ranks.entries()) if (other !== i) handle.abort.tell(reason);
        }
        throw error;
      }
    });
    const settled = await withDeadline(
      Promise.allSettled(calls),
      this.#options.timeoutMs * 2,
      "an answer of every learner rank",
    );
    if (first) throw rankError(first.rank, first.error);
    return settled.map((s) => (s as PromiseFulfilledResult<Awaited<T>>).value);
  }
}

function rankError(rank: number, error: unknown): ActorsError {
  const { code, rawMessage, hint, details, retryable } = ActorsError.from(error);
  return new ActorsError(code, `learner rank ${rank}: ${rawMessage}`, { cause: error, hint, details, retryable });
}

const lost = new Set(["ACTOR_DIED", "DEADLINE_EXCEEDED", "OUTCOME_UNKNOWN", "NOT_HERE", "UNAVAILABLE", "CANCELLED"]);
const nativeLost = new Set(["TIMEOUT", "ABORTED"]);

/** A death or its echo in a peer; not a mistake that would come again. */
function canRecover(error: unknown): boolean {
  if (!isActorsError(error)) return false;
  return lost.has(error.code) || nativeLost.has(String(error.details["code"]));
}

const plain = (error: Error) => (isActorsError(error) ? error.rawMessage : error.message);
