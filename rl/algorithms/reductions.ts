import { Registry } from "./registry.js";

/** One optimizer mini-batch, over all ranks. B: its sequences. */
export interface MiniBatchShape {
  /** Sampled tokens of each sequence. */
  tokens_B: readonly number[];
  /** Which prompt each sequence answers. */
  prompts_B: readonly number[];
  /** Tokens the model can hold. */
  maxSeqLen: number;
}

/**
 * The weight of each token's loss, one number a sequence: the reduced loss is the sum over tokens of weight * loss. The weights
 * belong to the whole mini-batch, so the gradient does not depend on how it is cut into micro-batches or ranks.
 */
export type Reduction = (shape: MiniBatchShape) => number[];

/** sum(l * m) / sum(m): every token counts the same. Yu et al. 2503.14476. */
export const tokenMean: Reduction = ({ tokens_B }) => {
  const total = Math.max(1, sum(tokens_B));
  return tokens_B.map(() => 1 / total);
};

/** The mean over sequences of each one's token mean: every sequence counts the same. Shao et al. 2402.03300. */
export const sequenceMean: Reduction = ({ tokens_B }) => tokens_B.map((n) => 1 / (tokens_B.length * Math.max(1, n)));

/** Every sequence's sum over one constant, so that length carries no bias. Liu et al. 2503.20783. */
export const seqMeanTokenSumNorm: Reduction = ({ tokens_B, maxSeqLen }) =>
  tokens_B.map(() => 1 / (tokens_B.length * maxSeqLen));

/** The mean over prompts of the token mean within each: every prompt counts the same. Khatri et al. 2510.13786. */
export const promptMean: Reduction = ({ tokens_B, prompts_B }) => {
  const tokensOf = new Map<number, number>();
  for (const [b, prompt] of prompts_B.entries()) tokensOf.set(prompt, (tokensOf.get(prompt) ?? 0) + tokens_B[b]!);
  return prompts_B.map((prompt) => 1 / (tokensOf.size * Math.max(1, tokensOf.get(prompt)!)));
};

/** A module exports one as default. */
export const reductions = new Registry<Reduction>(
  "loss reduction",
  {
    token_mean: tokenMean,
    sequence_mean: sequenceMean,
    seq_mean_token_sum_norm: seqMeanTokenSumNorm,
    prompt_mean: promptMean,
  },
  (module) => (typeof module["default"] === "function" ? (module["default"] as Reduction) : undefined),
);

function sum(x: readonly number[]): number {
  return x.reduce((a, b) => a + b, 0);
}
