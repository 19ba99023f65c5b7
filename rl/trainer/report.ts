import { describeWeights } from "../algorithms/corrections.js";
import { type Quantiles, quantiles } from "../algorithms/mismatch.js";
import type { UpdateStats } from "../learner/update.js";
import { type Histogram, histogram } from "../run/histogram.js";
import { type StageSeconds, stageSeconds, type Trajectory } from "../trajectories/trajectory.js";
import type { CriticMetrics } from "./critic.js";
import { solved } from "./evaluate.js";
import type { RewardParts } from "./score.js";

/** A line of metrics.jsonl. */
export interface StepMetrics {
  step: number;
  /** Of the weights after the step. */
  version: number;
  reward: number;
  success: number;
  loss: number;
  entropy: number;
  gradNorm: number;
  clipFraction: number;
  ratioMax: number;
  /** k3 estimate of the proximal policy against the updated one. */
  kl: number;
  /** Divergence from the policy before the first step, as sampled (in the reward) or trained (in the loss), and its price. null: not priced. */
  reference: { kl: number; beta: number } | null;
  /** Divergence from the teacher, as sampled; null: there is none. */
  teacher: { kl: number } | null;
  /** null: the estimator needs none. */
  critic: CriticMetrics | null;
  /** Optimizer updates left out, for a gradient that was not finite. */
  skippedUpdates: number;
  /** |log p of the learner - log p of the engine| of sampled tokens. */
  mismatch: Quantiles;
  mismatchHistogram: Histogram;
  rewardParts: RewardParts;
  /** Seconds of an episode, means. */
  stages: StageSeconds;
  /** Of sampled tokens, before the reduction weighs them. */
  advantageHistogram: Histogram;
  /** Of episodes: their rewards, sampled tokens, and how many ended in which way. */
  rewardHistogram: Histogram;
  tokensHistogram: Histogram;
  finish: Record<string, number>;
  /** Fractions of the sampled tokens that off-policy corrections keep, and that the weighted ones are worth (Kish). */
  corrections: { kept: number; effective: number };
  /** Versions between a token's weights and those it was trained on. */
  staleness: { mean: number; max: number };
  stalenessHistogram: Histogram;
  episodes: number;
  failedEpisodes: number;
  groupsWithoutSpread: number;
  /** Groups that were played and left out by dynamic sampling. */
  droppedGroups: number;
  /** Groups that were too slow and are no longer waited for, because more were asked for than wanted. */
  cutGroups: number;
  turns: number;
  /** Of an episode: 1, and one for each time that its context was rewritten. */
  contexts: number;
  /** Sampled tokens, those of branches and of what they branched off each. */
  tokens: number;
  /** Of these, were drawn for another episode: the beginnings of branches. */
  sharedTokens: number;
  /** Sampled tokens that stayed out of the loss because their weights were too old. */
  maskedTokens: number;
  tokensPerSecond: number;
  /** Episodes that came again, or too late, since the trainer started. */
  duplicates: number;
  /** Episodes that were played again since then because their weights were too old. */
  stale: number;
  /** Means over the episodes of what the environment reports. */
  environment: Record<string, number>;
  /**
   * Wall seconds. wait: the learner waited for trajectories; idle: rollout workers had nothing to do, averaged over them; update: of the
   * learner, with its slowest rank's parts; ledger: until the step was on disk; load: of the weights by the policy.
   */
  seconds: {
    total: number;
    wait: number;
    idle: number;
    update: number;
    logprobs: number;
    forwardBackward: number;
    optimizer: number;
    commit: number;
    ledger: number;
    load: number;
    /** What a trajectory costs: the step's time over its episodes. */
    perEpisode: number;
  };
}

/** What the ranks report, as if it were one. */
export function combineStats(stats: readonly UpdateStats[]) {
  const sum = (of: (s: UpdateStats) => number) => stats.reduce((total, s) => total + of(s), 0);
  const max = (of: (s: UpdateStats) => number) => Math.max(0, ...stats.map(of));
  const tokens = Math.max(
    1,
    sum((s) => s.tokens),
  );
  const first = stats[0]!;
  return {
    loss: sum((s) => s.loss) / Math.max(1, first.updates),
    entropy: sum((s) => s.entropySum) / tokens,
    gradNorm: first.gradNorm,
    clipFraction: sum((s) => s.clippedSum) / tokens,
    ratioMax: max((s) => s.ratioMax),
    kl: sum((s) => s.klSum) / tokens,
    refKl: sum((s) => s.refKlSum) / tokens,
    skippedUpdates: first.skipped,
    skipReason: first.skipReason,
    mismatch: quantiles(stats.map((s) => s.mismatch)),
    mismatchHistogram: histogram(stats.flatMap((s) => [...s.mismatch])),
    corrections: describeWeights(stats.map((s) => s.weights)),
    seconds: {
      logprobs: max((s) => s.seconds.logprobs),
      forwardBackward: max((s) => s.seconds.forwardBackward),
      optimizer: max((s) => s.seconds.optimizer),
    },
  };
}

/** Means over episodes. `version` is what they are trained on. */
export function describeEpisodes(episodes: readonly Trajectory[], version: number) {
  const mean = (of: (t: Trajectory) => number) =>
    episodes.reduce((sum, t) => sum + of(t), 0) / Math.max(1, episodes.length);
  const environment: Record<string, number> = {};
  for (const name of new Set(episodes.flatMap(({ metrics }) => Object.keys(metrics)))) {
    environment[name] = mean(({ metrics }) => metrics[name] ?? 0);
  }
  const finish: Record<string, number> = {};
  for (const { finish: how } of episodes) finish[how] = (finish[how] ?? 0) + 1;
  return {
    rewardHistogram: histogram(episodes.map(({ reward }) => reward)),
    tokensHistogram: histogram(episodes.map(({ lossMask_T }) => lossMask_T.reduce((sum, sampled) => sum + sampled, 0))),
    stalenessHistogram: histogram(ages(episodes, version)),
    finish,
    reward: mean(({ reward }) => reward),
    success: mean(({ metrics, reward }) => solved(metrics, reward)),
    turns: mean(({ turns }) => turns.length),
    stages: stageSeconds((stage) => mean(({ stages }) => stages[stage])),
    sharedTokens: episodes.reduce((sum, { shared }) => sum + shared, 0),
    contexts: mean(({ contexts }) => 1 + contexts.length),
    staleness: staleness(episodes, version),
    environment,
  };
}

/** Over sampled tokens. */
export function staleness(episodes: readonly Trajectory[], version: number): { mean: number; max: number } {
  let [sum, count, max] = [0, 0, 0];
  for (const age of ages(episodes, version)) {
    sum += age;
    count++;
    if (age > max) max = age;
  }
  return { mean: count > 0 ? sum / count : 0, max };
}

function* ages(episodes: readonly Trajectory[], version: number): Generator<number> {
  for (const { lossMask_T, versions_T } of episodes) {
    for (const [i, sampled] of lossMask_T.entries()) if (sampled) yield version - versions_T[i]!;
  }
}
