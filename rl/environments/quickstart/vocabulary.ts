import type { Tokenizer } from "../environment.js";

/** Names of configuration files. */
export const names =
  "api app auth base batch cache core data edge feed gate grid host jobs link mail main mesh node pool queue relay store web".split(
    " ",
  );
export const settings = ["port", "limit", "retries", "timeout", "workers"];
export const values = Array.from({ length: 16 }, (_, i) => String(i + 1));

const eosWord = "<eos>";
const unknown = "<unk>";
const grammar = ["\n", "$", "read", "check", "edit", "submit", "include", "#include", "fix", "to", "from"];
const replies = ["error", "none", "done", "ok", "fail"];
const words = [eosWord, unknown, ...grammar, ...replies, ...names, ...settings, ...values];
const ids = new Map(words.map((word, id) => [word, id]));

/** A token a word, and one for the line break: what the tools print and accept has no other words. */
export const tokenizer: Tokenizer = {
  vocabSize: words.length,
  eos: 0,
  encode(text) {
    const out: number[] = [];
    for (const [word] of text.matchAll(/\n|[^\s]+/g)) out.push(ids.get(word) ?? (ids.get(unknown) as number));
    return Int32Array.from(out);
  },
  decode(tokens) {
    let text = "";
    for (const token of tokens) {
      const word = words[token] ?? unknown;
      if (word === eosWord) continue;
      if (text !== "" && word !== "\n" && !text.endsWith("\n")) text += " ";
      text += word;
    }
    return text;
  },
};
