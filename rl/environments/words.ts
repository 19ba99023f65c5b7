import type { Tokenizer } from "./environment.js";

const eosWord = "<eos>";
/** Where a vocabulary has it, it stands for words that are not in it; they are left out otherwise. */
export const unknownWord = "<unk>";

/**
 * A token a word, for policies too small to spell: words lie between spaces, and a line break is one. Each number is read as the
 * nearest of `numbers`, so that a text may be as exact as it likes. Token 0 ends an action.
 */
export function wordTokenizer(words: readonly string[], numbers: readonly string[] = []): Tokenizer {
  const all = [eosWord, ...words, ...numbers];
  const ids = new Map(all.map((word, id) => [word, id]));
  const scale = numbers.map((word) => ({ value: Number(word), id: ids.get(word)! })).sort((a, b) => a.value - b.value);
  const unknown = ids.get(unknownWord);
  return {
    vocabSize: all.length,
    eos: 0,
    encode(text) {
      const out: number[] = [];
      for (const [word] of text.matchAll(/\n|[^\s]+/g)) {
        const id = ids.get(word) ?? (scale.length > 0 && isNumber(word) ? nearest(scale, Number(word)) : unknown);
        if (id !== undefined) out.push(id);
      }
      return Int32Array.from(out);
    },
    decode(tokens) {
      let text = "";
      for (const token of tokens) {
        const word = all[token] ?? unknownWord;
        if (word === eosWord) continue;
        if (text !== "" && word !== "\n" && !text.endsWith("\n")) text += " ";
        text += word;
      }
      return text;
    },
  };
}

const isNumber = (word: string) => /^-?\d+(\.\d+)?$/.test(word);

function nearest(scale: readonly { value: number; id: number }[], value: number): number {
  return scale.reduce((best, mark) => (Math.abs(mark.value - value) < Math.abs(best.value - value) ? mark : best)).id;
}

/** The numbers of a scale as texts, from `low` to `high`, both included. */
export function marks(low: number, high: number, step: number): string[] {
  const digits = /\.(\d+)/.exec(String(step))?.[1]?.length ?? 0;
  const count = Math.round((high - low) / step) + 1;
  return Array.from({ length: count }, (_, i) => (low + i * step + 0).toFixed(digits).replace(/^-(0(?:\.0+)?)$/, "$1"));
}
