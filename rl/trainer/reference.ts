import { adaptBeta } from "../algorithms/kl.js";
import type { Config } from "../config/schema.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import type { FrozenModel } from "./frozen.js";
import type { KlPenalty } from "./score.js";

/** The policy as it was before the first step, and the price of leaving it. */
export class Reference {
  readonly #model: FrozenModel;
  readonly #algorithm: Config["trainer"]["algorithm"];
  beta: number;

  constructor(model: FrozenModel, algorithm: Config["trainer"]["algorithm"]) {
    this.#model = model;
    this.#algorithm = algorithm;
    this.beta = algorithm.kl_loss_coef;
  }

  async penalty(groups: readonly Trajectory[][]): Promise<KlPenalty> {
    return { beta: this.beta, ref_GST: await this.#model.logprobs(groups) };
  }

  /** After a step of so many sequences whose mean divergence was `kl`. */
  adapt(kl: number, sequences: number): void {
    const { type, kl_target: target, horizon } = this.#algorithm.kl_ctrl;
    if (type === "adaptive") this.beta = adaptBeta(this.beta, kl, sequences, { target, horizon });
  }
}
