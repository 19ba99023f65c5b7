import { ActorsError } from "../../runtime/index.js";
import { Registry } from "./registry.js";

/** A micro-batch as a loss of one's own sees it. N: tokens of all its sequences, one after another. */
export interface LossInput {
  /** Of the policy as it is now. */
  logp_N: Float32Array;
  /** Of the proximal policy. */
  old_N: Float32Array;
  /** As the engine sampled. */
  rollout_N: Float32Array;
  advantages_N: Float32Array;
  /** 1 on sampled tokens: what is computed elsewhere is never read. */
  lossMask_N: Uint8Array;
  /** First token of each sequence, and N. */
  starts_B1: Int32Array;
}

export interface LossOutput {
  /** Of each token, before reduction, entropy and KL, which are not the loss's business. */
  loss_N: Float32Array;
  /** Derivative of each token's loss with respect to its own log-probability, all others held constant. */
  slope_N: Float32Array;
  /** 1 where a bound decided. */
  clipped_N?: Uint8Array;
}

export type PolicyLoss = (input: LossInput) => LossOutput;

/** Those that the native learner computes; defined in native/types.ts. */
const native = [
  ...(["regular", "dual_clip", "gspo", "cispo", "sapo", "dppo", "decoupled_ppo"] as const),
  ...(["importance_sampling", "cross_entropy"] as const),
];
export type NativeLossName = (typeof native)[number];

/** A module's default export is a {@link PolicyLoss}; the learner's processes import it. */
export const policyLosses = new Registry<PolicyLoss | NativeLossName>(
  "policy loss",
  Object.fromEntries(native.map((name) => [name, name])),
  (module) => (typeof module["default"] === "function" ? (module["default"] as PolicyLoss) : undefined),
);

/** @throws ActorsError INVALID_ARGUMENT when it does not give one number a token */
export function evaluate(loss: PolicyLoss, input: LossInput): LossOutput {
  const output = loss(input);
  for (const name of ["loss_N", "slope_N"] as const) {
    const values = output[name];
    if (!(values instanceof Float32Array) || values.length !== input.logp_N.length) {
      throw new ActorsError(
        "INVALID_ARGUMENT",
        `the policy loss must give a Float32Array ${name} of one entry a token`,
      );
    }
  }
  return output;
}
