/** Facts of one optimizer mini-batch over all ranks, that a reduction divides by. */
export interface MiniBatchSize {
  /** Sum of the loss mask. */
  tokens: number;
  /** B */
  sequences: number;
  maxSeqLen: number;
}

/**
 * Each reduction is sum(loss * mask) / normalizer with a normalizer that belongs to the whole mini-batch, so the gradient
 * does not depend on how the mini-batch is cut into micro-batches or ranks.
 */
export const reductions = {
  /** Every token counts the same (DAPO, Yu et al. 2503.14476). */
  token_mean: ({ tokens }: MiniBatchSize) => Math.max(1, tokens),
  /** Every sequence's sum over one constant, so that length carries no bias (Dr. GRPO, Liu et al. 2503.20783). */
  seq_mean_token_sum_norm: ({ sequences, maxSeqLen }: MiniBatchSize) => Math.max(1, sequences * maxSeqLen),
} as const;
