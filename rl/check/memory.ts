import type { ModelConfig } from "../../native/types.js";
import type { Config } from "../config/schema.js";
import { needsCritic } from "../trainer/critic.js";

// What the native code allocates, from the same formulas: transformer.cpp, learner.cpp, engine.cpp. All numbers are fp32.

/** Bytes, by what they are for. */
export type Bytes = Record<string, number>;

export interface MemoryEstimate {
  parameters: number;
  /** Of each learner rank, at most. */
  learner: Bytes;
  /** Of each engine, at most. */
  engine: Bytes;
  /** Of all processes, at most. */
  total: number;
}

/** A Node process that has loaded the runtime. */
const processBytes = 90e6;
/** Of the learner: tokens of one forward pass, unless one sequence is longer; floats of a block of logits. */
const chunkTokens = 1024;
const logitFloats = 2 ** 20;

export function parametersOf(c: ModelConfig): number {
  const [query, kv] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  const qkv = query + 2 * kv;
  const mlp = c.experts ? c.experts.count * (3 * c.dim * c.experts.ffnDim + c.dim) : 3 * c.dim * c.ffnDim;
  const layer = 2 * c.dim + qkv * c.dim + query * c.dim + mlp + (c.qkvBias ? qkv : 0) + (c.qkNorm ? 2 * c.headDim : 0);
  return c.vocabSize * c.dim * (c.tiedEmbeddings ? 1 : 2) + c.layers * layer + c.dim;
}

/** Of those, what one token goes through. */
export function activeParametersOf(c: ModelConfig): number {
  if (!c.experts) return parametersOf(c);
  const idle = c.experts.count - c.experts.active;
  return parametersOf(c) - c.layers * idle * 3 * c.dim * c.experts.ffnDim;
}

/** A frozen reference counts as one more learner, so does a teacher, and a critic as the policy once more. */
export function estimateMemory(config: Config, shape: ModelConfig, teacher: ModelConfig | null = null): MemoryEstimate {
  const { trainer, generator, cluster } = config;
  const parameters = parametersOf(shape);
  const learner = learnerBytes(shape, trainer, trainer.learner_ranks);
  const held = Math.min(shape.maxSeqLen, generator.context.max_tokens ?? shape.maxSeqLen);
  const engine = {
    weights: 2 * 4 * parameters, // the next version is read while the last one serves
    "keys and values": 4 * generator.max_num_seqs * held * shape.layers * 2 * shape.kvHeads * shape.headDim,
    logits: 4 * generator.max_num_seqs * shape.vocabSize,
    process: processBytes,
  };
  const { algorithm, learner_ranks: ranks } = trainer;
  const reference = algorithm.use_kl_in_reward || algorithm.use_kl_loss;
  const learners = ranks * (needsCritic(algorithm) ? 2 : 1);
  const others = generator.num_rollout_actors + 1 + cluster.nodes; // and the sandboxes', and the nodes'
  const published = 2 * 4 * parameters; // in shared memory
  return {
    parameters,
    learner,
    engine,
    total:
      learners * sumOf(learner) +
      (reference ? sumOf(learnerBytes(shape, trainer, 1)) : 0) +
      (teacher ? sumOf(learnerBytes(teacher, trainer, 1)) : 0) +
      generator.num_inference_engines * sumOf(engine) +
      others * processBytes +
      published,
  };
}

/** One of `ranks`, which share the moments. */
export function learnerBytes(shape: ModelConfig, trainer: Config["trainer"], ranks: number): Bytes {
  const parameters = parametersOf(shape);
  return {
    weights: 4 * parameters,
    gradients: 4 * parameters,
    moments: (8 * parameters) / ranks,
    activations: 4 * activationFloats(shape, Math.max(chunkTokens, shape.maxSeqLen), trainer.gradient_checkpointing),
    process: processBytes,
  };
}

function activationFloats(c: ModelConfig, tokens: number, recomputed: boolean): number {
  const [query, kv] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  const qkv = query + 2 * kv;
  const ffn = c.experts ? 0 : c.ffnDim;
  const kept = c.dim + (c.experts ? c.experts.count + c.experts.active : 0);
  const rest = c.dim + 2 + qkv + c.heads + query + 2 * (c.experts ? c.experts.active * c.experts.ffnDim : ffn);
  const shared = 4 * c.dim + 4 * ffn + query + qkv + (c.qkNorm ? qkv : 0);
  const block = Math.min(tokens, Math.max(32, Math.floor(logitFloats / c.vocabSize)));
  return (
    tokens * (c.layers * kept + (recomputed ? 1 : c.layers) * rest + shared) + block * (c.vocabSize + 4 * c.dim + 6)
  );
}

export const sumOf = (bytes: Bytes) => Object.values(bytes).reduce((a, b) => a + b, 0);

export const describeBytes = (bytes: Bytes) =>
  Object.entries(bytes)
    .map(([name, n]) => `${name} ${gigabytes(n)}`)
    .join(", ");

export const gigabytes = (bytes: number) =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
