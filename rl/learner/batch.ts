import type { Batch } from "../../native/index.js";
import type { Trajectory } from "../trajectories/trajectory.js";

/** A sequence with what the loss needs of it. T: its tokens. */
export interface Sample {
  tokens_T: Int32Array;
  lossMask_T: Uint8Array;
  rolloutLogp_T: Float32Array;
  /** Read where the loss mask is 1. */
  advantages_T: Float32Array;
}

/** Sequences one after another. N: tokens of all, B: sequences. */
export interface PackedBatch {
  tokens_N: Int32Array;
  starts_B1: Int32Array;
  lossMask_N: Uint8Array;
  advantages_N: Float32Array;
  rolloutLogp_N: Float32Array;
}

export function sampleOf(trajectory: Trajectory, advantages_T: Float32Array): Sample {
  const { tokens_T, lossMask_T, logprobs_T } = trajectory;
  return { tokens_T, lossMask_T, rolloutLogp_T: logprobs_T, advantages_T };
}

export function pack(samples: readonly Sample[]): PackedBatch {
  const total = samples.reduce((n, s) => n + s.tokens_T.length, 0);
  const batch: PackedBatch = {
    tokens_N: new Int32Array(total),
    starts_B1: new Int32Array(samples.length + 1),
    lossMask_N: new Uint8Array(total),
    advantages_N: new Float32Array(total),
    rolloutLogp_N: new Float32Array(total),
  };
  let at = 0;
  for (const [b, sample] of samples.entries()) {
    batch.tokens_N.set(sample.tokens_T, at);
    batch.lossMask_N.set(sample.lossMask_T, at);
    batch.rolloutLogp_N.set(sample.rolloutLogp_T, at);
    for (const [i, sampled] of sample.lossMask_T.entries())
      if (sampled) batch.advantages_N[at + i] = sample.advantages_T[i]!;
    at += sample.tokens_T.length;
    batch.starts_B1[b + 1] = at;
  }
  return batch;
}

export function maskedTokens(samples: readonly Sample[]): number {
  let n = 0;
  for (const { lossMask_T } of samples) for (const sampled of lossMask_T) n += sampled;
  return n;
}

/** Every rank gets about the same number of tokens; the same split for the same samples. Order within a rank is kept. */
export function splitOverRanks(samples: readonly Sample[], world: number): Sample[][] {
  const byLength = [...samples.keys()].sort(
    (a, b) => samples[b]!.tokens_T.length - samples[a]!.tokens_T.length || a - b,
  );
  const load = new Array<number>(world).fill(0);
  const rankOf = new Array<number>(samples.length).fill(0);
  for (const i of byLength) {
    const rank = load.indexOf(Math.min(...load));
    rankOf[i] = rank;
    load[rank]! += samples[i]!.tokens_T.length;
  }
  return Array.from({ length: world }, (_, rank) => samples.filter((_, i) => rankOf[i] === rank));
}

/** Cuts a batch into runs of whole sequences of at most `maxTokens`, one longer sequence alone. Views, no copies. */
export function* microBatches(
  batch: PackedBatch,
  maxTokens: number,
): Generator<{ from: number; to: number; starts: Int32Array }> {
  const { starts_B1 } = batch;
  const last = starts_B1.length - 1;
  for (let first = 0; first < last; ) {
    let end = first + 1;
    while (end < last && starts_B1[end + 1]! - starts_B1[first]! <= maxTokens) end++;
    const from = starts_B1[first]!;
    yield { from, to: starts_B1[end]!, starts: starts_B1.slice(first, end + 1).map((s) => s - from) };
    first = end;
  }
}

/** The native learner's form of a micro-batch. */
export function nativeBatch(
  batch: PackedBatch,
  at: { from: number; to: number; starts: Int32Array },
  arrays: { advantages_N: Float32Array; old_N: Float32Array },
): Batch {
  return {
    tokens: batch.tokens_N.subarray(at.from, at.to),
    starts: at.starts,
    lossMask: batch.lossMask_N.subarray(at.from, at.to),
    advantages: arrays.advantages_N.subarray(at.from, at.to),
    oldLogp: arrays.old_N.subarray(at.from, at.to),
  };
}
