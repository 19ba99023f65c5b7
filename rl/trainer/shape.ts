import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ModelConfig } from "../../native/types.js";
import { ActorsError } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";

export function freshModel(config: Config, vocabSize: number): ModelConfig {
  const m = config.trainer.policy.model;
  return {
    vocabSize,
    dim: m.dim,
    layers: m.layers,
    heads: m.heads,
    kvHeads: m.kv_heads,
    headDim: m.head_dim,
    ffnDim: m.ffn_dim,
    ropeTheta: m.rope_theta,
    normEps: m.norm_eps,
    tiedEmbeddings: m.tied_embeddings,
    maxSeqLen: m.max_seq_len,
  };
}

const whole = z.int().min(1);
/** What a plan needs of a checkpoint's config.json; whether the native code can run it, that says when it loads it. */
const hfConfig = z.looseObject({
  model_type: z.string().default("llama"),
  vocab_size: whole,
  hidden_size: whole,
  num_hidden_layers: whole,
  num_attention_heads: whole,
  num_key_value_heads: whole.optional(),
  head_dim: whole.nullish(),
  intermediate_size: whole,
  max_position_embeddings: whole,
  rms_norm_eps: z.number().default(1e-6),
  tie_word_embeddings: z.boolean().default(false),
  num_experts: whole.nullish(),
  num_local_experts: whole.nullish(),
  num_experts_per_tok: whole.nullish(),
  moe_intermediate_size: whole.nullish(),
});

/** The shape of the model that will be trained, before it is loaded. @throws ActorsError INVALID_ARGUMENT naming what config.json lacks */
export async function shapeOf(config: Config, vocabSize: number, checkpoint: string | null): Promise<ModelConfig> {
  if (checkpoint === null) return freshModel(config, vocabSize);
  const file = join(checkpoint, "config.json");
  const parsed = hfConfig.safeParse(readJson(file, await readFile(file, "utf8")));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ActorsError("INVALID_ARGUMENT", `${file}: ${issue!.path.join(".")}: ${issue!.message}`);
  }
  const c = parsed.data;
  const experts = c.num_experts ?? c.num_local_experts;
  return {
    vocabSize: c.vocab_size,
    dim: c.hidden_size,
    layers: c.num_hidden_layers,
    heads: c.num_attention_heads,
    kvHeads: c.num_key_value_heads ?? c.num_attention_heads,
    headDim: c.head_dim ?? Math.floor(c.hidden_size / c.num_attention_heads),
    ffnDim: c.intermediate_size,
    ropeTheta: 0, // only the native code needs it
    normEps: c.rms_norm_eps,
    tiedEmbeddings: c.tie_word_embeddings,
    maxSeqLen: c.max_position_embeddings,
    qkvBias: c.model_type === "qwen2",
    qkNorm: c.model_type.startsWith("qwen3"),
    ...(experts && {
      experts: {
        count: experts,
        active: c.num_experts_per_tok ?? 1,
        ffnDim: c.moe_intermediate_size ?? c.intermediate_size,
        normalized: false,
      },
    }),
  };
}

function readJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `${file} is no JSON: ${(cause as Error).message}`, { cause });
  }
}
