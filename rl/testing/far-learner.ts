import { defineActor } from "../../runtime/index.js";
import { LearnerActor, type LearnerOptions } from "../learner/actor.js";

/** A learner whose every rank says that it is on a host of its own. */
export class FarLearner extends LearnerActor {
  readonly #rank: number;

  constructor(options: LearnerOptions) {
    super(options);
    this.#rank = options.rank;
  }

  override host(): string {
    return `host-${this.#rank}`;
  }
}

export const farLearner = defineActor({
  name: "testing.far-learner",
  module: import.meta.url,
  class: FarLearner,
  shared: ["abort", "saveState"],
  idempotent: ["resume", "host", "listen", "commit"],
  hosting: "process",
});
