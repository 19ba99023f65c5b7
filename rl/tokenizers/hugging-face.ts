import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Template } from "@huggingface/jinja";
import { Tokenizer as Core } from "@huggingface/tokenizers";
import type { Tokenizer } from "../environments/environment.js";

/** One message of a conversation, as chat templates read it; further fields are the template's business. */
export interface ChatMessage {
  role: string;
  content: string;
  [field: string]: unknown;
}

export interface ChatOptions {
  /** Schemas of the tools on offer, as the template expects them. */
  tools?: unknown[];
  /** Ends the text where the assistant's answer begins. */
  addGenerationPrompt?: boolean;
  /** Further variables of the template, such as enable_thinking. */
  variables?: Record<string, unknown>;
}

/** A special token is written as its text, or as an object around it. */
type Token = string | { content: string } | null | undefined;

interface TokenizerConfig {
  eos_token?: Token;
  bos_token?: Token;
  pad_token?: Token;
  unk_token?: Token;
  chat_template?: string | { name: string; template: string }[];
}

const textOf = (token: Token): string | undefined => (typeof token === "string" ? token : token?.content);

/**
 * The tokenizer and chat template of a Hugging Face folder. Special tokens in a text become their ids; none are added.
 * `decode` shows special tokens except `eos`. Byte sequences that are no UTF-8 decode to U+FFFD, so `encode(decode(ids))`
 * gives back what the model wrote only when that is text cut as the tokenizer would: train on ids, not on text.
 */
export class HuggingFaceTokenizer implements Tokenizer {
  /** One more than the largest id; a model's table may be padded beyond. */
  readonly vocabSize: number;
  readonly eos: number;
  /** The text of `eos`. */
  readonly end: string;
  readonly #core: Core;
  readonly #config: TokenizerConfig;
  readonly #template: Template | undefined;
  /** Of byte-level tokenizers. */
  readonly #byteOf: Map<string, number> | undefined;

  /** Reads tokenizer.json, tokenizer_config.json and, where there is one, chat_template.jinja. */
  static load(dir: string): HuggingFaceTokenizer {
    const read = (name: string) => readFileSync(join(dir, name), "utf8");
    const config = JSON.parse(read("tokenizer_config.json")) as TokenizerConfig;
    let template: string | undefined;
    try {
      template = read("chat_template.jinja");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      const inline = config.chat_template;
      template = Array.isArray(inline) ? inline.find(({ name }) => name === "default")?.template : inline;
    }
    return new HuggingFaceTokenizer(dir, JSON.parse(read("tokenizer.json")), config, template);
  }

  private constructor(dir: string, tokenizer: object, config: TokenizerConfig, template: string | undefined) {
    this.#core = new Core(tokenizer, config);
    this.#config = config;
    this.#template = template === undefined ? undefined : new Template(template);
    this.#byteOf = JSON.stringify((tokenizer as { decoder?: unknown }).decoder ?? null).includes('"ByteLevel"')
      ? byteLetters()
      : undefined;
    this.vocabSize = 1 + Math.max(...this.#core.get_vocab().values());
    const eos = textOf(config.eos_token);
    const id = eos === undefined ? undefined : this.#core.token_to_id(eos);
    if (eos === undefined || id === undefined)
      throw new Error(`${join(dir, "tokenizer_config.json")}: eos_token must name a token`);
    this.eos = id;
    this.end = eos;
  }

  get hasTemplate(): boolean {
    return this.#template !== undefined;
  }

  encode(text: string): Int32Array {
    return Int32Array.from(this.#core.encode(text, { add_special_tokens: false }).ids);
  }

  decode(ids: Int32Array): string {
    const shown = [...ids].filter((id) => id !== this.eos);
    if (shown.length === 0) return "";
    return this.#core.decode(shown, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  bytes(id: number): Uint8Array {
    const token = this.#core.id_to_token(id);
    const byteOf = this.#core.get_added_tokens_decoder().has(id) ? undefined : this.#byteOf;
    if (token === undefined || !byteOf) return new TextEncoder().encode(this.decode(Int32Array.of(id)));
    return Uint8Array.from([...token].flatMap((letter) => byteOf.get(letter) ?? [...new TextEncoder().encode(letter)]));
  }

  /** The conversation as the model was trained to read it; encode() gives its ids. */
  chat(messages: ChatMessage[], { tools, addGenerationPrompt = false, variables }: ChatOptions = {}): string {
    if (this.#template === undefined)
      throw new Error("the tokenizer has no chat template: add chat_template.jinja to its folder");
    return this.#template.render({
      ...variables,
      messages,
      tools: tools ?? null,
      add_generation_prompt: addGenerationPrompt,
      bos_token: textOf(this.#config.bos_token) ?? "",
      eos_token: textOf(this.#config.eos_token) ?? "",
      pad_token: textOf(this.#config.pad_token) ?? "",
      unk_token: textOf(this.#config.unk_token) ?? "",
    });
  }
}

/** The letters in which byte-level vocabularies write bytes: themselves where they can be printed, else U+0100 and on (GPT-2). */
function byteLetters(): Map<string, number> {
  const printed = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  let next = 0x100;
  return new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCodePoint(printed(byte) ? byte : next++), byte]));
}
