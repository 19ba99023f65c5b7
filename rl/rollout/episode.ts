import type { actors } from "#protos";
import { ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type {
  EnvContext,
  Environment,
  EnvironmentDef,
  Evaluation,
  Opening,
  Sandbox,
  StepResult,
} from "../environments/environment.js";
import { dialogueOf } from "../tokenizers/dialogue.js";
import type { Turn } from "../trajectories/trajectory.js";
import { type ContextRules, cutMiddle, makeRoom, type Spoken, summaryRequest, withSummary } from "./context.js";
import { Recorder } from "./recorder.js";
import type { Sampling } from "./sampling.js";
import type { Passage } from "./stages.js";

export interface EpisodeLimits {
  maxTurns: number;
  maxActionTokens: number;
  /** Tokens the model can hold. */
  maxSeqLen: number;
  context: ContextRules;
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
  contexts: number[];
  shared: number;
  turns: Turn[];
  reward: number;
  /**
   * submitted: the task ended; length: so it did, on an action that was cut off; turns: the budget ended; context: the model can hold
   * no further turn; empty: it goes on.
   */
  finish: "submitted" | "length" | "turns" | "context" | "";
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
  passage: Passage,
): Promise<Episode> {
  const env = spec.environment.create();
  try {
    const prompt = await passage.through("init", (signal) => env.reset(spec.task, { sandbox, signal }));
    if (spec.from && spec.from.prompt !== prompt) throw new EpisodeDiverged(0);
    const player = new Player(spec, generate, { prompt, messages: env.messages?.() });
    const { record } = player;
    const { finish, last } = await passage.through("run", (signal) =>
      playTurns(env, player, spec, { sandbox, signal }),
    );
    const metrics = { ...last?.info };
    const at = record.turns.findLastIndex(({ summary }) => !summary);
    const lastTurn = record.turns[at];
    if (env.evaluate && lastTurn) {
      const graded = await passage.through("reward", (signal) => env.evaluate!({ sandbox, signal }));
      const { reward, info } = finite(graded, spec.environment.name, "the evaluation");
      record.turns[at] = { ...lastTurn, reward: lastTurn.reward + reward }; // who was told of the turn has it as it was played
      Object.assign(metrics, info);
    }
    return { prompt, shared: spec.from?.shared ?? 0, ...record.done(spec.limits.maxSeqLen), finish, metrics };
  } finally {
    await env.close();
  }
}

/** One that is NaN or infinite would go into every weight. @throws ActorsError USER_ERROR */
function finite<S extends Evaluation & { potential?: number }>(said: S, environment: string, where: string): S {
  const { reward, potential = 0, info } = said;
  for (const [what, value] of Object.entries({ reward, potential, ...info }))
    if (!Number.isFinite(value))
      throw new ActorsError("USER_ERROR", `${environment}: ${what} of ${where} is ${value}, no finite number`);
  return said;
}

/** Turn after turn, until the task ends or a budget does. */
async function playTurns(
  env: Environment<unknown>,
  player: Player,
  { environment, limits, from, onTurn }: EpisodeSpec,
  context: EnvContext,
): Promise<{ finish: Episode["finish"]; last: StepResult | undefined }> {
  const { record } = player;
  const { tokenizer } = environment;
  let last: StepResult | undefined;
  for (let turn = 0; turn < limits.maxTurns; turn++) {
    if (!player.hasRoom()) return { finish: "context", last };
    const { start, sampled_S, known } = await player.act(limits.maxActionTokens);
    const action = tokenizer.decode(sampled_S);
    last = finite(await env.step(action, context), environment.name, `turn ${turn + 1}`);
    context.signal.throwIfAborted(); // the stage is over, and the episode is played again or given up
    const { observation, reward, potential = 0 } = last;
    const played: Turn = { start, end: record.end, action, observation, reward, potential, summary: false };
    if (known && !sameTurn(known, played)) throw new EpisodeDiverged(record.turns.length);
    record.turns.push(played);
    const cut = sampled_S.length >= limits.maxActionTokens && sampled_S.at(-1) !== tokenizer.eos;
    if (last.terminated) return { finish: cut ? "length" : "submitted", last };
    if (last.truncated) return { finish: "turns", last };
    if (!known)
      onTurn?.({
        prompt: player.opening.prompt,
        shared: from?.shared ?? 0,
        ...record.done(limits.maxSeqLen),
        finish: "",
        metrics: {},
      });
    if (turn + 1 < limits.maxTurns) await player.hear(observation, sampled_S.at(-1) === tokenizer.eos);
  }
  return { finish: "turns", last };
}

/** The policy's side of an episode: what it has read, and how it keeps to its context. */
class Player {
  readonly record = new Recorder();
  readonly #spec: EpisodeSpec;
  readonly #generate: Generate;
  readonly opening: Opening;
  readonly #spoken: Spoken;
  /** Tokens of a context. */
  readonly #budget: number;
  /** Of these, kept for asking for a summary, and for the summary. */
  readonly #reserve: number;
  readonly #requestTokens: number;

  constructor(spec: EpisodeSpec, generate: Generate, opening: Opening) {
    const { environment, limits } = spec;
    this.#spec = spec;
    this.#generate = generate;
    this.opening = opening;
    this.#spoken = { dialogue: dialogueOf(environment), tokenizer: environment.tokenizer };
    const { policy, max_tokens, summary_tokens } = limits.context;
    this.#budget = Math.min(max_tokens ?? limits.maxSeqLen, limits.maxSeqLen);
    this.#requestTokens = this.#request("").length;
    this.#reserve = policy === "summarise" ? this.#requestTokens + summary_tokens : 0;
    this.record.observe(this.#spoken.dialogue.open(opening));
  }

  /** Whether an action fits, if need be once the context is made smaller. */
  hasRoom(): boolean {
    const { policy, keep } = this.#spec.limits.context;
    if (!this.#fits() && (policy === "sliding_window" || policy === "truncate_observations")) {
      makeRoom(this.record, policy, Math.floor(keep * this.#budget), this.#spoken);
    }
    return this.#fits();
  }

  /**
   * Samples one action, or takes that of an earlier try again. A pause of the policy can cut it short (`abort`): the rest is asked for
   * again, and is what it would have been, since draws depend on the seed and the position alone. S: its tokens.
   */
  async act(maxTokens: number): Promise<{ start: number; sampled_S: Int32Array; known: Turn | undefined }> {
    const { record } = this;
    const { from, seed, sampling, session } = this.#spec;
    const turn = record.turns.length;
    const start = record.end;
    const known = from?.turns[turn];
    if (known) return { start, sampled_S: record.copy(from!, known), known };
    const { stopStrings = [], minTokens = 0, ...settings } = sampling;
    for (;;) {
      const sampled = record.end - start;
      const reply = await this.#generate({
        tokens: bytesOf(record.tokens()),
        maxTokens: maxTokens - sampled,
        ...settings,
        minTokens: Math.max(0, Math.min(minTokens, maxTokens) - sampled),
        stopStrings,
        stop: [this.#spoken.tokenizer.eos],
        seed: deriveSeed(seed, turn),
        session,
      });
      record.act(int32(reply.tokens), float32(reply.logprobs), int32(reply.versions));
      if (reply.finish !== "abort" || record.end - start >= maxTokens) {
        return { start, sampled_S: record.tokens(start), known };
      }
    }
  }

  /** What the environment answered; where that leaves no room, the policy writes a summary and goes on from it. */
  async hear(observation: string, ended: boolean): Promise<void> {
    const { limits } = this.#spec;
    const { policy, max_observation_tokens: most } = limits.context;
    const { dialogue, tokenizer } = this.#spoken;
    const shown = most === null ? observation : cutMiddle(observation, most, tokenizer);
    const told = dialogue.answer(shown, ended);
    const full = this.record.length + told.length + limits.maxActionTokens + this.#reserve > this.#budget;
    if (policy === "summarise" && full) await this.#summarise(shown, ended);
    else this.record.observe(told);
  }

  /** Leaves the context as it is where not even that fits. */
  async #summarise(observation: string, ended: boolean): Promise<void> {
    const { record } = this;
    const { dialogue, tokenizer } = this.#spoken;
    const room = this.#budget - record.length - this.#reserve;
    if (room < 0) return record.observe(dialogue.answer(observation, ended));
    const request = this.#request(cutMiddle(observation, room, tokenizer), ended);
    record.observe(request.length <= room + this.#requestTokens ? request : this.#request("", ended));
    const { start, sampled_S, known } = await this.act(this.#spec.limits.context.summary_tokens);
    const action = tokenizer.decode(sampled_S);
    const { potential } = record.turns.at(-1)!;
    const written: Turn = { start, end: record.end, action, observation: "", reward: 0, potential, summary: true };
    if (known && !sameTurn(known, written)) throw new EpisodeDiverged(record.turns.length);
    record.turns.push(written);
    const { prompt, messages } = this.opening;
    const last = messages?.at(-1);
    const opening = {
      prompt: withSummary(prompt, action),
      messages: last && [...messages!.slice(0, -1), { ...last, content: withSummary(last.content, action) }],
    };
    record.rewrite([{ kind: "prompt", tokens: dialogue.open(opening) }]);
  }

  #request(observation: string, ended = false): Int32Array {
    return this.#spoken.dialogue.answer(`${observation}\n\n${summaryRequest}`.trimStart(), ended);
  }

  #fits(): boolean {
    return this.record.length + this.#spec.limits.maxActionTokens <= this.#budget;
  }
}

/** Rewards are single precision on the way. */
const sameTurn = (a: Turn, b: Turn) =>
  a.start === b.start &&
  a.summary === b.summary &&
  a.observation === b.observation &&
  Math.fround(a.reward) === Math.fround(b.reward);

function bytesOf(tokens: Int32Array): Uint8Array {
  return new Uint8Array(tokens.buffer);
}

const int32 = (bytes: Uint8Array | null | undefined) => new Int32Array(new Uint8Array(bytes ?? []).buffer);
const float32 = (bytes: Uint8Array | null | undefined) => new Float32Array(new Uint8Array(bytes ?? []).buffer);
