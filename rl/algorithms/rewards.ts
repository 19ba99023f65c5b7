import type { ScoredSample } from "./advantages.js";

/** What a reward is made of; a trajectory is one. */
export interface Rewarded {
  lossMask_T: Uint8Array;
  turns: readonly { start: number; end: number; reward: number }[];
}

/**
 * A turn's reward lies on the last token that the policy sampled in it; of a turn without tokens, on the last one before it.
 * A response without any token keeps its score alone.
 */
export function scoreOf({ lossMask_T, turns }: Rewarded): ScoredSample {
  const sample = { score: 0, rewards_T: new Float32Array(lossMask_T.length), lossMask_T, turns };
  for (const turn of turns) addReward(sample, turn.end, turn.reward);
  return sample;
}

/** Gives `reward` to the last sampled token before `end`, or to the first one where there is none before it. */
export function addReward(sample: ScoredSample, end: number, reward: number): void {
  const { lossMask_T, rewards_T } = sample;
  sample.score += reward;
  const before = lossMask_T.lastIndexOf(1, Math.min(end, lossMask_T.length) - 1);
  const at = end > 0 && before >= 0 ? before : lossMask_T.indexOf(1);
  if (at >= 0) rewards_T[at]! += reward;
}
