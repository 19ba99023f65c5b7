import { deriveSeed } from "../algorithms/seeds.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { seededRandom } from "../environments/random.js";
import { maskedTokens, pack, type Sample, splitOverRanks } from "../learner/batch.js";
import type { UpdatePlan } from "../learner/update.js";
import type { LearnerGroup } from "./learners.js";
import { optimizerSettings, rateAt } from "./mini-batches.js";

/** Updates of one request to the learner: fewer would spend the time on messages, more would lose more to a death. */
const updatesAtOnce = 10;
/** Apart from the seeds of the RL tasks. */
const stream = 0x5f7;

/**
 * Supervised start on the environment's demonstrations: cross-entropy on the tokens that the policy will have to sample.
 * `onProgress` gets the updates done and the mean loss of the latest.
 */
export async function warmStart(
  learners: LearnerGroup,
  def: EnvironmentDef,
  config: Config,
  onProgress: (step: number, loss: number) => void,
): Promise<void> {
  const { warm_start, seed, max_tokens_per_microbatch: maxTokens } = config.trainer;
  const { steps, batch_size, optimizer_config } = warm_start;
  for (let first = 0; first < steps; first += updatesAtOnce) {
    const updates = Math.min(updatesAtOnce, steps - first);
    const plans: UpdatePlan[] = Array.from({ length: learners.world }, () => ({
      miniBatches: [],
      epochs: 1,
      loss: { kind: "cross_entropy" },
      optimizer: optimizerSettings(optimizer_config),
      rates: Array.from({ length: updates }, (_, i) => rateAt(optimizer_config, first + i)),
      maxTokens,
    }));
    for (let update = first; update < first + updates; update++) {
      const indices = Array.from({ length: batch_size }, (_, i) => update * batch_size + i);
      const samples = await Promise.all(indices.map((index) => demonstration(def, seed, index)));
      const normalizer = Math.max(1, maskedTokens(samples));
      for (const [rank, share] of splitOverRanks(samples, learners.world).entries()) {
        plans[rank]!.miniBatches.push({ batch: pack(share), normalizer });
      }
    }
    const { stats } = await learners.update(plans, false);
    onProgress(first + updates, stats.reduce((sum, s) => sum + s.loss, 0) / updates);
  }
}

async function demonstration(def: EnvironmentDef, seed: number, index: number): Promise<Sample> {
  const { prompt, turns } = await def.demonstration(
    def.trainTask(deriveSeed(seed, stream), index),
    seededRandom(seed, stream, index),
  );
  const tokens: number[] = [...def.tokenizer.encode(prompt)];
  const mask: number[] = tokens.map(() => 0);
  for (const [i, { action, observation }] of turns.entries()) {
    for (const token of [...def.tokenizer.encode(action), def.tokenizer.eos]) {
      tokens.push(token);
      mask.push(1);
    }
    if (i === turns.length - 1) break; // nothing is said after the last action
    for (const token of def.tokenizer.encode(observation)) {
      tokens.push(token);
      mask.push(0);
    }
  }
  return {
    tokens_T: Int32Array.from(tokens),
    lossMask_T: Uint8Array.from(mask),
    rolloutLogp_T: new Float32Array(tokens.length),
    advantages_T: new Float32Array(tokens.length),
  };
}
