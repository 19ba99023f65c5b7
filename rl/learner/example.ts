import type { Demonstration, EnvironmentDef } from "../environments/environment.js";
import { dialogueOf } from "../tokenizers/dialogue.js";
import type { Sample } from "./batch.js";

/** Tokens to learn by heart, and which of them: those that the policy will have to sample. T: its tokens. */
export interface Example {
  tokens_T: Int32Array;
  lossMask_T: Uint8Array;
}

/** Pieces of a conversation, one after another; what is `said` by the model is learned. */
export function exampleOf(pieces: Iterable<{ tokens: Int32Array; said: boolean }>): Example {
  const tokens: number[] = [];
  const mask: number[] = [];
  for (const { tokens: piece, said } of pieces) {
    for (const token of piece) {
      tokens.push(token);
      mask.push(Number(said));
    }
  }
  return { tokens_T: Int32Array.from(tokens), lossMask_T: Uint8Array.from(mask) };
}

/** As an episode of these actions would have come out. */
export function demonstrated(def: EnvironmentDef, { turns, ...opening }: Demonstration): Example {
  const { tokenizer } = def;
  const dialogue = dialogueOf(def);
  return exampleOf([
    { tokens: dialogue.open(opening), said: false },
    ...turns.flatMap(({ action, observation }, i) => [
      { tokens: Int32Array.of(...tokenizer.encode(action), tokenizer.eos), said: true },
      // nothing is said after the last action
      ...(i < turns.length - 1 ? [{ tokens: dialogue.answer(observation, true), said: false }] : []),
    ]),
  ]);
}

/** For losses that read nothing else of a sample. */
export function supervisedSample({ tokens_T, lossMask_T }: Example): Sample {
  const none_T = new Float32Array(tokens_T.length);
  return { tokens_T, lossMask_T, rolloutLogp_T: none_T, advantages_T: none_T };
}
