import { actors } from "#protos";

/**
 * Seconds of an episode. queued: it waited for a place or a sandbox; init: its sandbox and task were prepared; run: its turns;
 * generate: the policy's part of them; reward: what came of it was graded.
 */
export type StageSeconds = Record<"queued" | "init" | "run" | "generate" | "reward", number>;

/** By default none. */
export const stageSeconds = (of: (stage: keyof StageSeconds) => number = () => 0): StageSeconds => ({
  queued: of("queued"),
  init: of("init"),
  run: of("run"),
  generate: of("generate"),
  reward: of("reward"),
});

export interface Turn {
  /** First sampled token, and one past the last, as indices into `tokens_T`. */
  start: number;
  end: number;
  action: string;
  observation: string;
  reward: number;
  /** Of the state after the turn, 0 to 1: how far its milestones lead. */
  potential: number;
  /** The policy wrote down what it goes on from in a new context: the environment knows nothing of it. */
  summary: boolean;
}

/** Where a sample belongs. Each position is trained on once, whatever is lost or sent twice on the way. */
export interface SamplePosition {
  /** The trainer's step it was asked for. */
  step: number;
  group: number;
  sample: number;
}

/** One finished episode. T: all its tokens, prompt and observations included; of several contexts one after another, each as it was read. */
export interface Trajectory extends SamplePosition {
  key: string;
  attempt: number;
  seed: number;
  task: string;
  prompt: string;
  tokens_T: Int32Array;
  /** 1 on the tokens that the policy sampled. */
  lossMask_T: Uint8Array;
  /** As the engine sampled; 0 where the mask is 0. */
  logprobs_T: Float32Array;
  /** Weight version that sampled the token; 0 where the mask is 0. */
  versions_T: Uint32Array;
  /** First token of each context after the first. What a later one repeats of earlier ones is not sampled again: its mask is 0. */
  contexts: number[];
  /** Sampled tokens at its beginning that are another episode's, which it branched off. */
  shared: number;
  reward: number;
  /** How it ended; empty: it has not, and this is how far it was. */
  finish: string;
  turns: Turn[];
  /** Unix milliseconds. */
  startedAt: number;
  seconds: number;
  stages: StageSeconds;
  metrics: Record<string, number>;
}

export const positionId = ({ step, group, sample }: SamplePosition) => `${step}/${group}/${sample}`;

/** The same for the same wish, so that asking again after a death cannot count twice; `attempt` is raised for another episode. */
export const sampleKey = (run: string, at: SamplePosition, attempt: number) => `${run}/${positionId(at)}/${attempt}`;

/** Without the run's own name, which all keys of a run begin with. */
export const shortKey = (at: SamplePosition & { attempt: number }) => `${positionId(at)}/${at.attempt}`;

export function encodeTrajectory({ tokens_T, lossMask_T, logprobs_T, versions_T, ...rest }: Trajectory): Uint8Array {
  return actors.v1.Trajectory.encode({
    ...rest,
    tokens: bytesOf(tokens_T),
    lossMask: lossMask_T,
    logprobs: bytesOf(logprobs_T),
    versions: bytesOf(versions_T),
  }).finish();
}

export function decodeTrajectory(bytes: Uint8Array): Trajectory {
  const m = actors.v1.Trajectory.decode(bytes); // defaults lie on the prototype: spreading it would lose them
  return {
    key: m.key,
    step: m.step,
    group: m.group,
    sample: m.sample,
    attempt: m.attempt,
    seed: m.seed,
    task: m.task,
    prompt: m.prompt,
    tokens_T: new Int32Array(aligned(m.tokens)),
    lossMask_T: new Uint8Array(m.lossMask),
    logprobs_T: new Float32Array(aligned(m.logprobs)),
    versions_T: new Uint32Array(aligned(m.versions)),
    contexts: [...m.contexts],
    shared: m.shared,
    reward: m.reward,
    finish: m.finish,
    turns: m.turns.map(({ start, end, action, observation, reward, potential, summary }) => ({
      start: start ?? 0,
      end: end ?? 0,
      action: action ?? "",
      observation: observation ?? "",
      reward: reward ?? 0,
      potential: potential ?? 0,
      summary: summary ?? false,
    })),
    startedAt: m.startedAt,
    seconds: m.seconds,
    stages: stageSeconds((stage) => m.stages?.[stage] ?? 0),
    metrics: { ...m.metrics },
  };
}

/** The oldest weights that sampled a token of it; undefined when nothing was sampled. */
export function oldestVersion({ lossMask_T, versions_T }: Trajectory): number | undefined {
  let oldest: number | undefined;
  for (const [i, sampled] of lossMask_T.entries()) {
    if (sampled && (oldest === undefined || versions_T[i]! < oldest)) oldest = versions_T[i]!;
  }
  return oldest;
}

export const sampledTokens = (trajectories: readonly Pick<Trajectory, "lossMask_T">[]) =>
  trajectories.reduce((sum, { lossMask_T }) => lossMask_T.reduce((n, sampled) => n + sampled, sum), 0);

function bytesOf(array: Int32Array | Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The bytes in a buffer of their own, for a typed array needs an aligned start. (A Buffer's own `slice` would not copy.) */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
