import type { ModelConfig } from "../native/index.js";

const llama = { headDim: 64, ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 512 };

/** What is trained and generated with beside torch, by number of parameters. */
export const models: Record<string, ModelConfig> = {
  "1M": { ...llama, vocabSize: 1024, dim: 128, layers: 4, heads: 4, kvHeads: 2, headDim: 32, ffnDim: 384 },
  "10M": { ...llama, vocabSize: 8192, dim: 320, layers: 6, heads: 5, kvHeads: 5, ffnDim: 896 },
  "50M": { ...llama, vocabSize: 16_384, dim: 512, layers: 12, heads: 8, kvHeads: 8, ffnDim: 1408 },
};
