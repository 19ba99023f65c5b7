import { ActorsError } from "../../runtime/index.js";
import { hasSpread } from "./advantages.js";
import { deriveSeed } from "./seeds.js";

export interface DynamicSampling {
  /** `filter` asks for more until enough groups differ in score (DAPO, Yu et al. 2503.14476); `replace` repeats those that do. */
  type: "filter" | "replace";
  /** Batches of one step at most. */
  maxBatches: number;
  /** Of `replace`: share of the wanted groups that must differ. */
  minReplaceRatio: number;
}

export interface Verdict {
  /** Nothing more need be asked for. */
  enough: boolean;
  /** Groups to leave out: without spread, or more than were wanted. */
  dull: number[];
  /** Groups that tell good from bad. */
  informative: number;
  /** Groups that are still wanted. */
  missing: number;
}

/** What to do with the groups of a step, of which `wanted` are to be trained on. Empty groups tell nothing. */
export function judgeGroups(
  scores_GS: readonly (readonly number[])[],
  wanted: number,
  options: DynamicSampling,
): Verdict {
  const informative = [...scores_GS.keys()].filter((g) => hasSpread(scores_GS[g]!));
  const kept = new Set(informative.slice(0, wanted));
  const needed = options.type === "filter" ? wanted : Math.max(1, Math.ceil(options.minReplaceRatio * wanted));
  return {
    enough: informative.length >= needed,
    dull: [...scores_GS.keys()].filter((g) => !kept.has(g)),
    informative: informative.length,
    missing: Math.max(0, wanted - informative.length),
  };
}

/** `groups`, with some of them again until there are `wanted`: first each once, then drawn evenly by the seed. */
export function repeated<T>(groups: readonly T[], wanted: number, seed: number): T[] {
  const order = [...groups.keys()].sort((a, b) => deriveSeed(seed, a) - deriveSeed(seed, b) || a - b);
  const extra = groups.length > 0 ? Math.max(0, wanted - groups.length) : 0;
  return [...groups, ...Array.from({ length: extra }, (_, i) => groups[order[i % order.length]!]!)];
}

export function exhausted(step: number, found: Verdict, wanted: number, { maxBatches }: DynamicSampling): ActorsError {
  return new ActorsError(
    "INFEASIBLE",
    `dynamic sampling: in ${maxBatches} batches of step ${step} only ${found.informative} of ${wanted} prompts gave samples that score differently`,
    {
      hint: "The tasks are too hard or too easy for this policy: change them, raise generator.n_samples_per_prompt or trainer.algorithm.dynamic_sampling.max_sample_batches, or turn dynamic sampling off.",
    },
  );
}
