import type { CallOptions, JsonServer } from "./http.js";

/** What is asked of a server: token ids, and how to draw. */
export interface Draw {
  id: string;
  tokens: number[];
  maxTokens: number;
  temperature: number;
  /** 1: off. */
  topP: number;
  /** 0: off. */
  topK: number;
  minP: number;
  repetitionPenalty: number;
  presencePenalty: number;
  frequencyPenalty: number;
  minTokens: number;
  seed: number;
  /** Token ids and texts that end it, which they are part of. */
  stop: number[];
  stopStrings: string[];
}

export interface Drawn {
  tokens: number[];
  /** Of each token, as it was drawn. */
  logprobs: number[];
  finish: "stop" | "length" | "abort";
  /** Of the weights, where the server says; null: it does not. */
  version: string | null;
}

/** How a kind of server is spoken to. */
export interface Dialect {
  /** For people. */
  readonly name: string;
  /** How to start a server that can do what is needed. */
  readonly hint: string;
  /**
   * Whether it is there and can do what is needed, and the tokens that it holds of a sequence; null: it does not say.
   * @throws ActorsError that says what it lacks
   */
  probe(server: JsonServer, options: CallOptions): Promise<{ maxSeqLen: number | null }>;
  draw(server: JsonServer, draw: Draw, options: CallOptions): Promise<Drawn>;
  abort(server: JsonServer, id: string, options: CallOptions): Promise<void>;
  /** Ends what it is drawing with what it has, and takes the weights of a Hugging Face folder that it can read too. */
  load(server: JsonServer, folder: string, version: number, options: CallOptions): Promise<void>;
}
