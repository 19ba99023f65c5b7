import type { Handle } from "../../runtime/index.js";
import type { LearnerActor } from "../learner/actor.js";
import { microBatches, packTrajectories, unpack } from "../learner/batch.js";
import type { Trajectory } from "../trajectories/trajectory.js";

export interface FrozenOptions {
  /** Of one call. */
  maxTokens: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A model that never learns, and is asked what it would have said. */
export class FrozenModel {
  readonly #model: Handle<LearnerActor>;
  readonly #options: FrozenOptions;

  constructor(model: Handle<LearnerActor>, options: FrozenOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** log p of each trajectory's tokens, in the trajectories' axes: groups, samples, positions. */
  async logprobs(groups: readonly Trajectory[][]): Promise<Float32Array[][]> {
    const batch = packTrajectories(groups.flat());
    const logp_N = new Float32Array(batch.tokens_N.length);
    const { timeoutMs, signal, maxTokens } = this.#options;
    for (const { from, to, starts } of microBatches(batch, maxTokens)) {
      const request = { tokens: batch.tokens_N.slice(from, to), starts };
      logp_N.set(await this.#model.logprobs.with({ timeoutMs, signal })(request), from);
    }
    return unpack(groups, logp_N);
  }
}
