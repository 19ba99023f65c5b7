import type { Batch } from "../../native/index.js";
import type { Trajectory } from "../trajectories/trajectory.js";

/** A sequence with what the loss needs of it. T: its tokens. */
export interface Sample {
  tokens_T: Int32Array;
  lossMask_T: Uint8Array;
  rolloutLogp_T: Float32Array;
  /** Read where the loss mask is 1. */
  advantages_T: Float32Array;
  /** First token of each sequence after the first, where it is several: contexts of one episode. */
  contexts?: readonly number[];
  /** Of each of its tokens' losses in the mini-batch's reduction, times the normalizer; 1 by default. */
  weight?: number;
  /** Of the frozen reference, for a KL in the loss. */
  refLogp_T?: Float32Array;
  /** Where between the rollout's and the present log-probability the proximal policy's lies; see `old_logprobs: loglinear`. */
  interpolation_T?: Float32Array;
  /** For a critic: what it should have said, and what it said. */
  returns_T?: Float32Array;
  values_T?: Float32Array;
}

/** Sequences one after another. N: tokens of all, B: sequences, of which a sample may be several. */
export interface PackedBatch {
  tokens_N: Int32Array;
  starts_B1: Int32Array;
  lossMask_N: Uint8Array;
  advantages_N: Float32Array;
  rolloutLogp_N: Float32Array;
  weights_B: Float32Array;
  refLogp_N: Float32Array | null;
  interpolation_N: Float32Array | null;
  returns_N: Float32Array | null;
  values_N: Float32Array | null;
}

export function sampleOf(trajectory: Trajectory, advantages_T: Float32Array): Sample {
  const { tokens_T, lossMask_T, logprobs_T, contexts } = trajectory;
  return { tokens_T, lossMask_T, rolloutLogp_T: logprobs_T, advantages_T, contexts };
}

export function pack(samples: readonly Sample[]): PackedBatch {
  const total = samples.reduce((n, s) => n + s.tokens_T.length, 0);
  const sequences = samples.reduce((n, { contexts = [] }) => n + 1 + contexts.length, 0);
  const batch: PackedBatch = {
    tokens_N: new Int32Array(total),
    starts_B1: new Int32Array(sequences + 1),
    lossMask_N: new Uint8Array(total),
    advantages_N: new Float32Array(total),
    rolloutLogp_N: new Float32Array(total),
    weights_B: Float32Array.from(
      samples.flatMap(({ weight = 1, contexts = [] }) => Array<number>(1 + contexts.length).fill(weight)),
    ),
    refLogp_N: concatenated(samples, total, "refLogp_T"),
    interpolation_N: concatenated(samples, total, "interpolation_T"),
    returns_N: concatenated(samples, total, "returns_T"),
    values_N: concatenated(samples, total, "values_T"),
  };
  let [at, b] = [0, 0];
  for (const sample of samples) {
    for (const context of sample.contexts ?? []) batch.starts_B1[++b] = at + context;
    batch.tokens_N.set(sample.tokens_T, at);
    batch.lossMask_N.set(sample.lossMask_T, at);
    batch.rolloutLogp_N.set(sample.rolloutLogp_T, at);
    for (const [i, sampled] of sample.lossMask_T.entries())
      if (sampled) batch.advantages_N[at + i] = sample.advantages_T[i]!;
    at += sample.tokens_T.length;
    batch.starts_B1[++b] = at;
  }
  return batch;
}

type Optional = "refLogp_T" | "interpolation_T" | "returns_T" | "values_T";

/** null when the samples have none. */
function concatenated(samples: readonly Sample[], total: number, of: Optional): Float32Array | null {
  if (!samples[0]?.[of]) return null;
  const all_N = new Float32Array(total);
  let at = 0;
  for (const sample of samples) {
    all_N.set(sample[of]!, at);
    at += sample.tokens_T.length;
  }
  return all_N;
}

/** For models that only look at them. */
export function packTrajectories(trajectories: readonly Trajectory[]): PackedBatch {
  return pack(trajectories.map((trajectory) => sampleOf(trajectory, trajectory.logprobs_T)));
}

/** What was computed of each token, in the axes of the groups that were packed: groups, samples, positions. */
export function unpack(
  groups: readonly (readonly Pick<Trajectory, "tokens_T">[])[],
  values_N: Float32Array,
): Float32Array[][] {
  let at = 0;
  return groups.map((group) =>
    group.map(({ tokens_T }) => {
      at += tokens_T.length;
      return values_N.subarray(at - tokens_T.length, at);
    }),
  );
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

/** What a learner adds to a batch before it trains on it. */
export interface TokenTerms {
  /** Of the proximal policy; null for losses without one. */
  old_N: Float32Array | null;
  /** Reduction and off-policy corrections, multiplied. */
  weights_N: Float32Array;
}

/** The native learner's form of a micro-batch. */
export function nativeBatch(
  batch: PackedBatch,
  { from, to, starts }: { from: number; to: number; starts: Int32Array },
  { old_N, weights_N }: TokenTerms,
): Batch & Required<Pick<Batch, "advantages" | "rolloutLogp" | "weights">> {
  const { refLogp_N, interpolation_N, returns_N, values_N } = batch;
  return {
    tokens: batch.tokens_N.subarray(from, to),
    starts,
    lossMask: batch.lossMask_N.subarray(from, to),
    advantages: batch.advantages_N.subarray(from, to),
    rolloutLogp: batch.rolloutLogp_N.subarray(from, to),
    weights: weights_N.subarray(from, to),
    ...(old_N && { oldLogp: old_N.subarray(from, to) }),
    ...(refLogp_N && { refLogp: refLogp_N.subarray(from, to) }),
    ...(interpolation_N && { interpolation: interpolation_N.subarray(from, to) }),
    ...(returns_N && { returns: returns_N.subarray(from, to) }),
    ...(values_N && { oldValues: values_N.subarray(from, to) }),
  };
}

/** A sequence's number for each of its tokens. */
export function spread(values_B: Float32Array, starts_B1: Int32Array): Float32Array {
  const values_N = new Float32Array(starts_B1.at(-1)!);
  for (const [b, value] of values_B.entries()) values_N.fill(value, starts_B1[b]!, starts_B1[b + 1]!);
  return values_N;
}
