import { ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { seededRandom } from "../environments/random.js";
import { maskedTokens, pack, splitOverRanks } from "../learner/batch.js";
import { demonstrated, type Example, supervisedSample } from "../learner/example.js";
import type { OptimizerSettings, UpdatePlan } from "../learner/update.js";

/** What an optimizer update learns from: the same for the same number. */
export type Examples = (update: number) => Promise<readonly Example[]>;

export interface SupervisedOptions {
  /** Ranks. */
  world: number;
  optimizer: OptimizerSettings;
  /** Learning rate of an update. */
  rate(update: number): number;
  maxTokens: number;
}

/** Cross-entropy on what the model is to say, a token mean over each update. One plan a rank, of `count` updates from `first` on. */
export async function planSupervised(
  examples: Examples,
  first: number,
  count: number,
  { world, optimizer, rate, maxTokens }: SupervisedOptions,
): Promise<UpdatePlan[]> {
  const updates = Array.from({ length: count }, (_, i) => first + i);
  const plans = Array.from(
    { length: world },
    (): UpdatePlan => ({
      ...{ miniBatches: [], epochs: 1, loss: { kind: "cross_entropy" }, optimizer, maxTokens },
      rates: updates.map(rate),
    }),
  );
  for (const update of updates) {
    const samples = (await examples(update)).map(supervisedSample);
    const normalizer = Math.max(1, maskedTokens(samples));
    for (const [rank, share] of splitOverRanks(samples, world).entries()) {
      plans[rank]!.miniBatches.push({ batch: pack(share), normalizer });
    }
  }
  return plans;
}

/** Apart from the seeds of the RL tasks. */
const stream = 0x5f7;

/**
 * The environment's own, `size` an update.
 * @param maxTokens that the model holds
 * @throws ActorsError INVALID_ARGUMENT, from an update on, for a demonstration of more
 */
export function demonstrations(def: EnvironmentDef, seed: number, size: number, maxTokens: number): Examples {
  const draw = async (index: number) => {
    const task = def.trainTask(deriveSeed(seed, stream), index);
    const example = demonstrated(def, await def.demonstration(task, seededRandom(seed, stream, index)));
    const tokens = example.tokens_T.length;
    if (tokens <= maxTokens) return example;
    const what = `trainer.policy.model: a demonstration of ${def.name} takes ${tokens} tokens, and the model holds ${maxTokens}`;
    throw new ActorsError("INVALID_ARGUMENT", what, { hint: "Take a model that holds more, such as by max_seq_len." });
  };
  return (update) => Promise.all(Array.from({ length: size }, (_, i) => draw(update * size + i)));
}
