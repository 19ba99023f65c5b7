import type { Config } from "../config/schema.js";
import type { Dialogue, Tokenizer } from "../environments/environment.js";
import type { Piece, Recorder } from "./recorder.js";

export type ContextRules = Config["generator"]["context"];

/** How the policy and the environment understand each other. */
export interface Spoken {
  dialogue: Dialogue;
  tokenizer: Tokenizer;
}

/** What is asked of a policy whose context is full, and how its answer is told it again. */
export const summaryRequest =
  "The conversation is about to be cut off. Write down what was done and found so far, and what is to be done next: it is all that you will have.";
export const withSummary = (prompt: string, summary: string) =>
  `${prompt}\n\nWhat you wrote down of the conversation so far:\n${summary}`;

const notice = (tokens: number) => `[${tokens} tokens left out]`;

/** The text; of more tokens than `most`, its beginning and its end, with a word on what lies between. */
export function cutMiddle(text: string, most: number, tokenizer: Tokenizer): string {
  const tokens = tokenizer.encode(text);
  if (tokens.length <= most) return text;
  const kept = most - tokenizer.encode(`\n${notice(tokens.length)}\n`).length;
  if (kept < 2) return tokenizer.decode(tokens.slice(0, most));
  const [head, tail] = [Math.ceil(kept / 2), Math.floor(kept / 2)];
  const [start, end] = [tokens.slice(0, head), tokens.slice(-tail)].map((part) => tokenizer.decode(part));
  return `${start}\n${notice(tokens.length - kept)}\n${end}`;
}

/**
 * Makes room by leaving out what is oldest, until at most `room` tokens are left: whole turns (`sliding_window`), or what observations
 * say (`truncate_observations`). The prompt, the last observation and all actions that stay are as they were.
 */
export function makeRoom(record: Recorder, policy: ContextRules["policy"], room: number, spoken: Spoken): void {
  const parts = record.pieces.map(({ kind, start, end }) => ({ kind, tokens: record.tokens(start, end) }));
  const kept = policy === "sliding_window" ? lastTurns(parts, room) : shortened(parts, room, spoken);
  if (lengthOf(kept) < lengthOf(parts)) record.rewrite(kept);
}

interface Part {
  kind: Piece["kind"];
  tokens: Int32Array;
}

const lengthOf = (parts: readonly Part[]) => parts.reduce((sum, { tokens }) => sum + tokens.length, 0);

function lastTurns([prompt, ...rest]: readonly Part[], room: number): Part[] {
  const left = [...rest];
  while (lengthOf([prompt!, ...left]) > room && left.length > 2) left.splice(0, 2); // an action and what it led to
  return [prompt!, ...left];
}

function shortened(parts: readonly Part[], room: number, { dialogue, tokenizer: { eos } }: Spoken): Part[] {
  const left = [...parts];
  for (const [i, { kind, tokens }] of parts.slice(0, -1).entries()) {
    if (lengthOf(left) <= room) break;
    if (kind !== "observation") continue;
    const ended = parts[i - 1]!.tokens.at(-1) === eos;
    const short = { kind, tokens: dialogue.answer(notice(tokens.length), ended) };
    if (short.tokens.length < tokens.length) left[i] = short;
  }
  return left;
}
