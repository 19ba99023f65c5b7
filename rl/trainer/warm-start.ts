import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import type { LearnerGroup } from "./learners.js";
import { optimizerSettings, rateAt } from "./mini-batches.js";
import { demonstrations, planSupervised } from "./supervised.js";

/** Updates of one request to the learner: fewer would spend the time on messages, more would lose more to a death. */
const updatesAtOnce = 10;

/**
 * Supervised start on the environment's demonstrations, before any RL.
 * `onProgress` gets the updates done and the mean loss of the latest.
 */
export async function warmStart(
  learners: LearnerGroup,
  def: EnvironmentDef,
  config: Config,
  maxSeqLen: number,
  onProgress: (step: number, loss: number) => void,
): Promise<void> {
  const { warm_start, seed, max_tokens_per_microbatch: maxTokens } = config.trainer;
  const { steps, batch_size, optimizer_config } = warm_start;
  const examples = demonstrations(def, seed, batch_size, maxSeqLen);
  for (let first = 0; first < steps; first += updatesAtOnce) {
    const updates = Math.min(updatesAtOnce, steps - first);
    const plans = await planSupervised(examples, first, updates, {
      ...{ world: learners.world, optimizer: optimizerSettings(optimizer_config), maxTokens },
      rate: (update) => rateAt(optimizer_config, update),
    });
    const { stats } = await learners.update(plans, false);
    onProgress(first + updates, stats.reduce((sum, s) => sum + s.loss, 0) / updates);
  }
}
