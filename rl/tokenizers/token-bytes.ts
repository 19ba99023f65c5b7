import type { Tokenizer } from "../environments/environment.js";

/** The bytes that each token adds to a text it does not begin, by id. */
export function tokenBytes(tokenizer: Tokenizer): Uint8Array[] {
  const ids = Array.from({ length: tokenizer.vocabSize }, (_, id) => id);
  if (tokenizer.bytes) return ids.map((id) => tokenizer.bytes!(id));
  const utf8 = new TextEncoder();
  const first = ids.find((id) => id !== tokenizer.eos)!;
  const begun = tokenizer.decode(Int32Array.of(first)).length;
  return ids.map((id) => utf8.encode(tokenizer.decode(Int32Array.of(first, id)).slice(begun)));
}
