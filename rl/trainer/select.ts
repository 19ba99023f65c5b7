import { hasSpread } from "../algorithms/advantages.js";
import { type DynamicSampling, judgeGroups } from "../algorithms/dynamic-sampling.js";
import type { Group } from "./groups.js";

export interface SelectionRules {
  /** Groups of a step. */
  wanted: number;
  /** A step trains on the groups that it asked for itself; else on those that are complete, the longest asked for before others. */
  ordered: boolean;
  /** So many groups more are asked for than wanted, and the slowest are cut. */
  spare: number;
  dynamic: DynamicSampling | null;
}

export interface Selection {
  trained: Group[];
  /** Complete, and never to be trained on. */
  dropped: { group: Group; reason: string }[];
  /** Not complete, and no longer waited for. */
  cut: Group[];
}

const noSpread = "all its scores are the same";
const notNeeded = "the step had enough groups without it";

/** What a step trains on; or how many more groups it needs asked for; or null: wait for those that are under way. */
export function select(groups: readonly Group[], rules: SelectionRules): Selection | { refill: number } | null {
  const { wanted, ordered, spare, dynamic } = rules;
  const settled = groups.filter((group) => group.settled);
  const underWay = groups.length - settled.length;
  if (ordered && spare === 0 && underWay > 0) return null; // what it trains on must not depend on who was quick
  const scores_GS = settled.map(scoresOf);
  const teaches = settled.map((group, g) => (dynamic ? hasSpread(scores_GS[g]!) : group.entries().length > 0));
  const trained = settled.filter((_, g) => teaches[g]).slice(0, wanted);
  const missing = wanted - trained.length;
  if (missing > 0 && dynamic) {
    const enough = settled.length >= wanted && judgeGroups(scores_GS, wanted, dynamic).enough;
    if (!enough) return missing > underWay ? { refill: missing - underWay } : null;
  } else if (missing > 0 && underWay > 0) return null;
  const dropped = settled.flatMap((group, g) => {
    if (!teaches[g]) return [{ group, reason: noSpread }];
    return ordered && !trained.includes(group) ? [{ group, reason: notNeeded }] : [];
  });
  return { trained, dropped, cut: ordered ? groups.filter((group) => !group.settled) : [] };
}

export const scoresOf = (group: Group) => group.entries().map(({ trajectory }) => trajectory.reward);
