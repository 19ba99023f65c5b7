import type { Tokenizer } from "./environment.js";

const eos = 256;

/** UTF-8, a byte a token: every text has tokens, at the price of long sequences. */
export const byteTokenizer: Tokenizer = {
  vocabSize: 257,
  eos,
  encode: (text) => Int32Array.from(new TextEncoder().encode(text)),
  decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids.filter((id) => id !== eos))),
};
