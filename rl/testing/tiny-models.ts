import { cpSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Learner, type ModelConfig } from "../../native/index.js";
import { HuggingFaceTokenizer } from "../tokenizers/hugging-face.js";

const tokenizer = fileURLToPath(new URL("../../../rl/tokenizers/goldens/qwen-style", import.meta.url));

/** A checkpoint as small as can be of the family of Qwen2.5 or Qwen3, with a tokenizer and a chat template of their kind. */
export async function tinyQwen(folder: string, family: "qwen2" | "qwen3", maxSeqLen = 1024, seed = 1): Promise<string> {
  const { vocabSize } = HuggingFaceTokenizer.load(tokenizer);
  const model: ModelConfig = {
    ...{ vocabSize, dim: 16, layers: 1, heads: 2, kvHeads: 1, headDim: 8, ffnDim: 24, maxSeqLen },
    ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true },
    ...(family === "qwen2" ? { qkvBias: true } : { qkNorm: true }),
  };
  const learner = Learner.create(model, seed);
  mkdirSync(folder, { recursive: true });
  await learner.save(folder);
  learner.close();
  cpSync(tokenizer, folder, { recursive: true });
  return folder;
}
