import type { Turn } from "../trajectories/trajectory.js";
import type { Episode } from "./episode.js";

/** A stretch of the present context: where its tokens lie among all of the episode. */
export interface Piece {
  kind: "prompt" | "action" | "observation";
  start: number;
  end: number;
}

/** Grows the parallel arrays of an episode: its contexts one after another, each as the policy read it. */
export class Recorder {
  readonly turns: Turn[] = [];
  readonly #contexts: number[] = [];
  #pieces: Piece[] = [];
  readonly #tokens: number[] = [];
  readonly #mask: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #versions: number[] = [];

  /** Tokens of the present context. */
  get length(): number {
    return this.end - (this.#contexts.at(-1) ?? 0);
  }

  /** Tokens of all contexts. */
  get end(): number {
    return this.#tokens.length;
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** The present context, or some of it. */
  tokens(from = this.#contexts.at(-1) ?? 0, to = this.end): Int32Array {
    return Int32Array.from(this.#tokens.slice(from, to));
  }

  observe(tokens: Int32Array): void {
    const start = this.end;
    for (const token of tokens) this.#push(token, 0, 0, 0);
    this.#pieces.push({ kind: start === 0 ? "prompt" : "observation", start, end: this.end });
  }

  /** A turn of an earlier try, as it was sampled. */
  copy({ tokens_T, logprobs_T, versions_T }: Episode, { start, end }: Turn): Int32Array {
    const tokens = tokens_T.slice(start, end);
    this.act(tokens, logprobs_T.subarray(start, end), versions_T.subarray(start, end));
    return tokens;
  }

  /** More of an action, or a new one. */
  act(tokens: Int32Array, logprobs: Float32Array, versions: Int32Array | Uint32Array): void {
    const start = this.end;
    for (const [i, token] of tokens.entries()) this.#push(token, 1, logprobs[i]!, versions[i]!);
    const last = this.#pieces.at(-1);
    if (last?.kind === "action") last.end = this.end;
    else this.#pieces.push({ kind: "action", start, end: this.end });
  }

  /** Goes on in a context of these: pieces of the present one as they are, or other tokens in place of one. Nothing of it is learned again. */
  rewrite(parts: readonly { kind: Piece["kind"]; tokens: Int32Array }[]): void {
    const end = this.turns.at(-1)?.end ?? 0; // what was read after it led to nothing
    for (const of of [this.#tokens, this.#mask, this.#logprobs, this.#versions]) of.length = end;
    if (this.#contexts.at(-1) === end) this.#contexts.pop();
    this.#contexts.push(end);
    this.#pieces = parts.map(({ kind, tokens }) => {
      const start = this.end;
      for (const token of tokens) this.#push(token, 0, 0, 0);
      return { kind, start, end: this.end };
    });
  }

  /** Observations after the last action teach nothing; what the model cannot hold is cut there too. */
  done(maxSeqLen: number) {
    const length = this.turns.at(-1)?.end ?? Math.min(maxSeqLen, this.end);
    return {
      tokens_T: Int32Array.from(this.#tokens.slice(0, length)),
      lossMask_T: Uint8Array.from(this.#mask.slice(0, length)),
      logprobs_T: Float32Array.from(this.#logprobs.slice(0, length)),
      versions_T: Uint32Array.from(this.#versions.slice(0, length)),
      contexts: this.#contexts.filter((start) => start < length),
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
