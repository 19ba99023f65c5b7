import type { Handle } from "../../runtime/index.js";
import { adaptBeta } from "../algorithms/kl.js";
import type { Config } from "../config/schema.js";
import type { LearnerActor } from "../learner/actor.js";
import { microBatches, packTrajectories, unpack } from "../learner/batch.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import type { KlPenalty } from "./score.js";

export interface ReferenceOptions {
  algorithm: Config["trainer"]["algorithm"];
  /** Of one call. */
  maxTokens: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The policy as it was before the first step, and the price of leaving it. */
export class Reference {
  readonly #model: Handle<LearnerActor>;
  readonly #options: ReferenceOptions;
  beta: number;

  constructor(model: Handle<LearnerActor>, options: ReferenceOptions) {
    this.#model = model;
    this.#options = options;
    this.beta = options.algorithm.kl_loss_coef;
  }

  async penalty(groups: readonly Trajectory[][]): Promise<KlPenalty> {
    const batch = packTrajectories(groups.flat());
    const logp_N = new Float32Array(batch.tokens_N.length);
    const { timeoutMs, signal, maxTokens } = this.#options;
    for (const { from, to, starts } of microBatches(batch, maxTokens)) {
      const request = { tokens: batch.tokens_N.slice(from, to), starts };
      logp_N.set(await this.#model.logprobs.with({ timeoutMs, signal })(request), from);
    }
    return { beta: this.beta, ref_GST: unpack(groups, batch, logp_N) };
  }

  /** After a step of so many sequences whose mean divergence was `kl`. */
  adapt(kl: number, sequences: number): void {
    const { type, kl_target: target, horizon } = this.#options.algorithm.kl_ctrl;
    if (type === "adaptive") this.beta = adaptBeta(this.beta, kl, sequences, { target, horizon });
  }
}
