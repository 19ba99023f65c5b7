/**
 * Shape of a decoder-only transformer (RMSNorm, rotary positions, grouped queries, SwiGLU). Llama as it stands; with
 * qkvBias Qwen2, with qkNorm Qwen3, with qkNorm and experts Qwen3-MoE.
 */
export interface ModelConfig {
  vocabSize: number;
  dim: number;
  layers: number;
  heads: number;
  /** Divides heads. */
  kvHeads: number;
  /** Even; heads * headDim need not equal dim. */
  headDim: number;
  ffnDim: number;
  ropeTheta: number;
  normEps: number;
  tiedEmbeddings: boolean;
  maxSeqLen: number;
  /** Biases on the query, key and value projections. */
  qkvBias?: boolean;
  /** RMS norm of every query and key head before rotation. */
  qkNorm?: boolean;
  /** Llama 3.1's stretched rotary wavelengths. */
  ropeScaling?: { factor: number; lowFrequency: number; highFrequency: number; originalLength: number };
  /** A mixture of experts in place of every layer's MLP; normalized: the chosen experts' weights are made to sum to 1. */
  experts?: { count: number; active: number; ffnDim: number; normalized: boolean };
  /** A critic: one number a position in place of the distribution over the next token. It learns by the loss `value` alone. */
  valueHead?: boolean;
}

/**
 * Packed sequences: N tokens in all, sequence i owns [starts[i], starts[i + 1]). Arrays are copied at the call.
 * lossMask[i] 1 means that log p(tokens[i] | tokens before it) enters the loss; never so for a sequence's first token.
 * Values of the other arrays at masked-out positions are ignored, NaN included. An array that the loss reads and the
 * batch lacks is an INVALID_ARGUMENT that names it.
 */
export interface Batch {
  tokens: Int32Array;
  starts: Int32Array;
  lossMask: Uint8Array;
  advantages?: Float32Array;
  /** Log-probabilities of the policy the ratio is taken against. */
  oldLogp?: Float32Array;
  /** Log-probabilities reported while sampling. */
  rolloutLogp?: Float32Array;
  /** Log-probabilities of the frozen reference, for `klCoef`. */
  refLogp?: Float32Array;
  /** Multiply each token's loss, detached, but neither entropy nor KL; 1 by default. */
  weights?: Float32Array;
  /** Of `linear`. */
  coefficients?: Float32Array;
  /**
   * In place of oldLogp for `decoupled_ppo`: how far from the rollout's log-probability to the present one the proximal
   * policy's lies, 0 to 1 (AReaL 2505.24298).
   */
  interpolation?: Float32Array;
  /** Of `value`: what it should have said, and what it said when the batch was played. */
  returns?: Float32Array;
  oldValues?: Float32Array;
}

/** Band of the ratio r = p / p_old: [1 - clipLow, 1 + clipHigh]; 0.2 and 0.2 by default. */
interface ClipBounds {
  clipLow?: number;
  clipHigh?: number;
}

/** What is computed of each masked token. A: its advantage, sg: detached. Sources: losses.cpp. */
export type TokenLoss =
  /** -min(r A, clip(r) A). */
  | ({ kind: "regular" } & ClipBounds)
  /** `regular`, at most -dualClip A where A < 0; 3 by default. */
  | ({ kind: "dual_clip"; dualClip?: number } & ClipBounds)
  /** `regular` with the geometric mean of the sequence's ratios, through which each token has its own gradient. */
  | ({ kind: "gspo" } & ClipBounds)
  /** -sg[clip(r)] A logp. */
  | ({ kind: "cispo" } & ClipBounds)
  /** -(4 / tau) sigmoid(tau (r - 1)) A; 1 where A > 0, else 1.05. */
  | { kind: "sapo"; tauPositive?: number; tauNegative?: number }
  /** -r A, without tokens that already are deltaHigh likelier (A > 0) or deltaLow unlikelier (A < 0) than at the rollout. */
  | { kind: "dppo"; deltaLow?: number; deltaHigh?: number }
  /** `regular` times sg[p_old / p_rollout]. */
  | ({ kind: "decoupled_ppo" } & ClipBounds)
  /** -p / p_rollout A. */
  | { kind: "importance_sampling" }
  /** -logp. */
  | { kind: "cross_entropy" }
  /** coefficient logp: the gradient of any loss whose derivatives someone else computed. */
  | { kind: "linear" }
  /** max((v - R)^2, (clip(v, v_old +- valueClip) - R)^2) / 2, of a critic; 0.2 by default. */
  | { kind: "value"; valueClip?: number };

/** A sum over masked tokens divided by `normalizer`, so that neither micro-batches nor ranks change the gradient. */
export type LossSpec = TokenLoss & {
  /** Sum of the mask over the whole mini-batch and all ranks. */
  normalizer: number;
  /** Takes this times the entropy from each token's loss. */
  entropyCoef?: number;
  /** Adds this times the estimate of KL(policy || reference) to each token's loss. */
  klCoef?: number;
  /** Schulman 2020, "Approximating KL divergence"; k3 by default. */
  klEstimator?: "k1" | "abs" | "k2" | "k3";
  /**
   * Mixtures of experts: adds this times each masked token's sequence's load-balancing loss (Fedus et al. 2021, as
   * transformers computes it for one sequence).
   */
  balanceCoef?: number;
};

export interface LossStats {
  /** This batch's share of the loss: its sum over masked tokens divided by the normalizer. */
  loss: number;
  /** Mean over masked tokens, nats. */
  entropy: number;
  /** Fraction of masked tokens at which a bound decided. */
  clipFraction: number;
  /** Largest p / p_old of a masked token; 0, as klOld, without an old policy. */
  ratioMax: number;
  /** Masked tokens. */
  tokens: number;
  /** Mean over masked tokens of their sequence's expert balance, 1 when perfect times the active experts; needs balanceCoef. */
  balance: number;
  /** Mean k3 estimate of KL(old || policy). */
  klOld: number;
  /** Mean of the chosen estimate of KL(policy || reference); needs klCoef. */
  klRef: number;
}

/** For each position: log p(token | prefix) and that distribution's entropy; 0 at each sequence's first token. */
export interface Logprobs {
  logp: Float32Array;
  entropy: Float32Array;
}

export interface LearnerSettings {
  threads?: number;
  /** Keeps only what enters each layer and computes it again in the backward pass: the same bits, less memory, more time. */
  gradientCheckpointing?: boolean;
}

/** Low-rank adaptation (Hu et al. 2106.09685): each target matrix is W + alpha / rank * B A, and only A and B learn. */
export interface LoraOptions {
  rank: number;
  alpha: number;
  /** Of q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj. */
  targets: string[];
}

/** AdamW with decoupled decay (not applied to norm weights); defaults 0.9, 0.999, 1e-8, no decay, no clipping. */
export interface OptimOptions {
  lr: number;
  beta1?: number;
  beta2?: number;
  eps?: number;
  weightDecay?: number;
  maxGradNorm?: number;
}

export interface OptimResult {
  /** Global L2 norm before clipping. */
  gradNorm: number;
  /** True when a gradient was not finite: weights and moments are unchanged. */
  skipped: boolean;
  reason: string | null;
}

export interface SaveOptions {
  /** How weights are stored, rounded to nearest; by default as F32. INVALID_ARGUMENT names one that overflows F16. */
  storage?: "F32" | "BF16" | "F16";
  /** Files grow to about this size before the next begins; by default 5 GiB. */
  shardBytes?: number;
}

export interface Published {
  bytes: number;
  /** Hex checksum of the tensor data, also in the file; an engine verifies it. */
  checksum: string;
}

export interface EngineOptions {
  /** Sequences decoded at once, and the size of the key-value cache in sequences of maxSeqLen. */
  maxSequences: number;
  threads?: number;
}

/**
 * Sampling settings mean what vLLM means by them and apply in its order: minTokens, penalties, temperature, minP, topK,
 * topP. What is left out changes nothing.
 */
export interface GenerationRequest {
  /** The prompt, at least one token. */
  tokens: Int32Array;
  maxTokens: number;
  /** 0 decodes greedily: then minP, topK and topP mean nothing. */
  temperature: number;
  topK?: number;
  topP?: number;
  /** Drops tokens less likely than this share of the likeliest one's probability. */
  minP?: number;
  /** Divides positive and multiplies negative logits of tokens in the prompt or the output. */
  repetitionPenalty?: number;
  /** Subtracted from the logits of tokens in the output. */
  presencePenalty?: number;
  /** Subtracted once for each time they occur in it. */
  frequencyPenalty?: number;
  /** Stop tokens cannot come, nor stop strings end the generation, before it has so many tokens. */
  minTokens?: number;
  /** How many of the likeliest tokens to report beside each that was drawn. */
  logprobs?: number;
  /** Token ids that end the generation; the one that did stays in the output. */
  stop: number[];
  /** Texts that end it, at the token that completes one; needs `setVocabulary`. That token stays in the output. */
  stopStrings?: string[];
  /** Draws are a function of (seed, position in the sequence) alone. */
  seed: number;
  /** A session's cache stays for its next turn while the weights are the same. */
  session?: string;
}

export interface Generation {
  id: number;
  /** Generated tokens, without the prompt. */
  tokens: Int32Array;
  /**
   * Of each token under the distribution it was drawn from: all settings applied, renormalised. Greedy: untempered,
   * after penalties. With temperature 1 and no other setting it is the model's own.
   */
  logprobs: Float32Array;
  /** abort: by `pause`. */
  finish: "stop" | "length" | "abort";
  /** The stop string that ended it. */
  stopString: string | null;
  /** Of the weights that sampled the first token, the oldest; -1 without tokens. */
  version: number;
  /** Of the weights that sampled each token. */
  versions: Int32Array;
  /** [tokens, request.logprobs]: the likeliest first; -1 where fewer could be drawn. */
  topTokens: Int32Array;
  /** Under the same distribution as `logprobs`; -Infinity where fewer could be drawn. */
  topLogprobs: Float32Array;
}

/** What becomes of cached keys and values when the weights change. */
export type KvPolicy = "recompute" | "keep";

/** What happens to requests in flight. */
export type PauseMode = "keep" | "wait" | "abort";

export interface EngineStats {
  /** Requests submitted and neither returned nor aborted. */
  active: number;
  /** Of these, decoding. */
  running: number;
  /** Tokens that went through the model so far. */
  computed: number;
  /** Tokens whose keys and values were taken over from another sequence or an earlier turn. */
  reused: number;
}

export interface CollectiveOptions {
  /** A file of this group alone, in /dev/shm; it is unlinked as soon as all ranks have joined. */
  path: string;
  rank: number;
  world: number;
  /** How long any one wait for a peer may take. */
  timeoutMs: number;
}

export interface RingOptions {
  /** Of `Collective.listen`; taken over, whatever happens. */
  listener: number;
  /** Where each rank listens. */
  peers: { host: string; port: number }[];
  rank: number;
  timeoutMs: number;
  /** The group's own: both ends of a connection prove that they know it, and it never travels. */
  secret: string;
}
