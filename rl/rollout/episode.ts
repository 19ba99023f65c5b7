import type { actors } from "#protos";
import { deriveSeed } from "../algorithms/seeds.js";
import type { EnvironmentDef, Sandbox, StepResult } from "../environments/environment.js";
import { dialogueOf } from "../tokenizers/dialogue.js";
import type { Turn } from "../trajectories/trajectory.js";
import type { Sampling } from "./sampling.js";

export interface EpisodeLimits {
  maxTurns: number;
  maxActionTokens: number;
  /** Tokens the model can hold. */
  maxSeqLen: number;
}

export interface EpisodeSpec {
  environment: EnvironmentDef;
  task: unknown;
  seed: number;
  sampling: Sampling;
  limits: EpisodeLimits;
  /** Names the episode to the policy, which keeps the keys and values of its turns. */
  session: string;
  /** What an earlier try came to: its actions are taken again, not sampled again. */
  from?: Episode | null;
  /** After each turn but the last. */
  onTurn?(soFar: Episode): void;
}

/** The environment answered the same actions otherwise than before: the episode cannot be continued, only played anew. */
export class EpisodeDiverged extends Error {
  constructor(turn: number) {
    super(`the environment answered turn ${turn} otherwise than before`);
  }
}

export type Generate = (request: actors.v1.GenerateRequest.$Properties) => Promise<actors.v1.GenerateReply.$Properties>;

/** What came of an episode. T: all its tokens. */
export interface Episode {
  prompt: string;
  tokens_T: Int32Array;
  lossMask_T: Uint8Array;
  logprobs_T: Float32Array;
  versions_T: Uint32Array;
  turns: Turn[];
  reward: number;
  /** submitted: the task ended; turns: the budget did; context: the model can hold no further turn; empty: it goes on. */
  finish: "submitted" | "turns" | "context" | "";
  metrics: Record<string, number>;
}

/**
 * Plays one episode: token ids go to the policy and come back, text goes to the environment and comes back. The policy's own
 * tokens are never encoded again, so what is trained on is exactly what was sampled.
 * @throws what the policy, the sandbox or the environment's code throws; none of it is the agent's doing
 */
export async function playEpisode(
  spec: EpisodeSpec,
  generate: Generate,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<Episode> {
  const { environment, limits } = spec;
  const { tokenizer } = environment;
  const dialogue = dialogueOf(environment);
  const context = { sandbox, signal };
  const record = new Recorder();
  const env = environment.create();
  try {
    const prompt = await env.reset(spec.task, context);
    if (spec.from && spec.from.prompt !== prompt) throw new EpisodeDiverged(0);
    record.observe(dialogue.open({ prompt, messages: env.messages?.() }));
    let finish: Episode["finish"] = "turns";
    let last: StepResult | undefined;
    for (let turn = 0; turn < limits.maxTurns; turn++) {
      if (record.length + limits.maxActionTokens > limits.maxSeqLen) {
        finish = "context";
        break;
      }
      const known = spec.from?.turns[turn];
      const start = record.length;
      const sampled_S = known
        ? record.copy(spec.from!, known)
        : await act(record, spec, deriveSeed(spec.seed, turn), generate);
      const action = tokenizer.decode(sampled_S);
      last = await env.step(action, context);
      const { observation, reward, potential = 0 } = last;
      record.turns.push({ start, end: record.length, action, observation, reward, potential });
      if (known && !sameTurn(known, record.turns[turn]!)) throw new EpisodeDiverged(turn);
      if (last.terminated || last.truncated) {
        finish = last.terminated ? "submitted" : "turns";
        break;
      }
      if (!known) spec.onTurn?.({ prompt, ...record.done(limits.maxSeqLen), finish: "", metrics: {} });
      record.observe(dialogue.answer(observation, sampled_S.at(-1) === tokenizer.eos));
    }
    return { prompt, ...record.done(limits.maxSeqLen), finish, metrics: last?.info ?? {} };
  } finally {
    await env.close();
  }
}

/** Rewards are single precision on the way. */
const sameTurn = (a: Turn, b: Turn) =>
  a.start === b.start && a.observation === b.observation && Math.fround(a.reward) === Math.fround(b.reward);

/**
 * Samples one action. A pause of the policy can cut it short (`abort`): the rest is asked for again, and is what it would
 * have been, since draws depend on the seed and the position alone. S: its tokens.
 */
async function act(
  record: Recorder,
  { environment, limits, sampling, session }: EpisodeSpec,
  seed: number,
  generate: Generate,
): Promise<Int32Array> {
  const { stopStrings = [], minTokens = 0, ...settings } = sampling;
  const start = record.length;
  for (;;) {
    const sampled = record.length - start;
    const reply = await generate({
      tokens: bytesOf(record.tokens()),
      maxTokens: limits.maxActionTokens - sampled,
      ...settings,
      minTokens: Math.max(0, Math.min(minTokens, limits.maxActionTokens) - sampled),
      stopStrings,
      stop: [environment.tokenizer.eos],
      seed,
      session,
    });
    record.act(int32(reply.tokens), float32(reply.logprobs), int32(reply.versions));
    const isOver = reply.finish !== "abort" || record.length - start >= limits.maxActionTokens;
    if (isOver) return record.tokens().subarray(start);
  }
}

/** Grows the parallel arrays of an episode. */
class Recorder {
  readonly turns: Turn[] = [];
  readonly #tokens: number[] = [];
  readonly #mask: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #versions: number[] = [];

  get length(): number {
    return this.#tokens.length;
  }

  tokens(): Int32Array {
    return Int32Array.from(this.#tokens);
  }

  observe(tokens: Int32Array): void {
    for (const token of tokens) this.#push(token, 0, 0, 0);
  }

  /** A turn of an earlier try, as it was sampled. */
  copy({ tokens_T, logprobs_T, versions_T }: Episode, { start, end }: Turn): Int32Array {
    const tokens = tokens_T.slice(start, end);
    this.act(tokens, logprobs_T.subarray(start, end), versions_T.subarray(start, end));
    return tokens;
  }

  act(tokens: Int32Array, logprobs: Float32Array, versions: Int32Array | Uint32Array): void {
    for (const [i, token] of tokens.entries()) this.#push(token, 1, logprobs[i]!, versions[i]!);
  }

  /** Observations after the last action teach nothing; what the model cannot hold is cut there too. */
  done(maxSeqLen: number) {
    const length = Math.min(maxSeqLen, this.turns.at(-1)?.end ?? this.length);
    return {
      tokens_T: Int32Array.from(this.#tokens.slice(0, length)),
      lossMask_T: Uint8Array.from(this.#mask.slice(0, length)),
      logprobs_T: Float32Array.from(this.#logprobs.slice(0, length)),
      versions_T: Uint32Array.from(this.#versions.slice(0, length)),
      turns: [...this.turns],
      reward: this.turns.reduce((sum, turn) => sum + turn.reward, 0),
    };
  }

  #push(token: number, mask: number, logprob: number, version: number): void {
    this.#tokens.push(token);
    this.#mask.push(mask);
    this.#logprobs.push(logprob);
    this.#versions.push(version);
  }
}

function bytesOf(tokens: Int32Array): Uint8Array {
  return new Uint8Array(tokens.buffer);
}

const int32 = (bytes: Uint8Array | null | undefined) => new Int32Array(new Uint8Array(bytes ?? []).buffer);
const float32 = (bytes: Uint8Array | null | undefined) => new Float32Array(new Uint8Array(bytes ?? []).buffer);
