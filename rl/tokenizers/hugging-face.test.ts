import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type ChatMessage, HuggingFaceTokenizer } from "./hugging-face.js";
import { tokenBytes } from "./token-bytes.js";

interface Cases {
  texts: { text: string; ids: number[]; decoded: string }[];
  chats: {
    messages: ChatMessage[];
    tools?: unknown[];
    addGenerationPrompt?: boolean;
    variables?: Record<string, unknown>;
    text: string;
    ids: number[];
  }[];
}

const goldens = fileURLToPath(new URL("../../../rl/tokenizers/goldens", import.meta.url));

describe("a tokenizer of Qwen's kind, beside Python's", () => {
  const tokenizer = HuggingFaceTokenizer.load(`${goldens}/qwen-style`);
  const { texts, chats } = JSON.parse(readFileSync(`${goldens}/cases.json`, "utf8")) as Cases;

  it("gives the same ids for every text, special tokens and odd Unicode included", () => {
    assert.ok(texts.length > 300);
    for (const { text, ids } of texts) assert.deepEqual([...tokenizer.encode(text)], ids, JSON.stringify(text));
  });

  it("decodes them to the same text, but for the end", () => {
    for (const { ids, decoded } of texts) {
      assert.equal(tokenizer.decode(Int32Array.from(ids)), decoded.replaceAll("<|im_end|>", ""));
    }
  });

  it("knows the bytes of every token: joined, they are the text, also where a token is part of a character", () => {
    const bytes = tokenBytes(tokenizer);
    for (const { ids, decoded } of texts) {
      const joined = Buffer.concat(ids.filter((id) => id !== tokenizer.eos).map((id) => bytes[id]!));
      assert.equal(joined.toString("utf8"), decoded.replaceAll("<|im_end|>", ""));
    }
  });

  it("renders conversations, tools and tool calls as the template says, and to the same ids", () => {
    for (const { messages, text, ids, ...options } of chats) {
      const rendered = tokenizer.chat(messages, options);
      assert.equal(rendered, text);
      assert.deepEqual([...tokenizer.encode(rendered)], ids);
    }
  });

  it("knows its size and its end", () => {
    assert.equal(tokenizer.eos, tokenizer.encode("<|im_end|>")[0]);
    const largest = texts.reduce((max, { ids }) => Math.max(max, ...ids), 0);
    assert.ok(tokenizer.vocabSize > largest && tokenizer.vocabSize < 450);
  });
});
