import type { Batch, Learner, LossSpec, LossStats } from "../../native/index.js";
import { evaluate, policyLosses } from "../algorithms/policy-losses.js";
import type { LossSettings } from "./update.js";

type Step = (
  learner: Learner,
  batch: Batch & Required<Pick<Batch, "advantages" | "rolloutLogp" | "weights">>,
  linear: LossSpec,
  signal: AbortSignal,
) => Promise<LossStats>;

/**
 * A loss written in TypeScript, in place of `learner.forwardBackward`: log-probabilities first, then the module's function for
 * each token's loss and slope, then the backward pass with those slopes. null for a loss of the native learner.
 */
export async function customLoss(settings: LossSettings): Promise<Step | null> {
  if (settings.kind !== "policy" || settings.token.kind !== "module") return null;
  const loss = await policyLosses.load(settings.token.url, import.meta.url);
  if (typeof loss === "string") return null;
  return async (learner, batch, linear, signal) => {
    const { logp } = await learner.logprobs(batch, signal);
    const { lossMask, weights } = batch;
    const { loss_N, slope_N, clipped_N } = evaluate(loss, {
      logp_N: logp,
      old_N: batch.oldLogp ?? batch.rolloutLogp,
      rollout_N: batch.rolloutLogp,
      advantages_N: batch.advantages,
      lossMask_N: lossMask,
      starts_B1: batch.starts,
    });
    const stats = await learner.forwardBackward({ ...batch, coefficients: slope_N }, linear, signal);
    let [correction, clipped] = [0, 0];
    for (const [i, sampled] of lossMask.entries()) {
      if (!sampled) continue;
      // The native pass reported slope * logp in place of the loss.
      correction += weights[i]! * (loss_N[i]! - slope_N[i]! * logp[i]!);
      clipped += clipped_N?.[i] ?? 0;
    }
    return {
      ...stats,
      loss: stats.loss + correction / linear.normalizer,
      clipFraction: clipped / Math.max(1, stats.tokens),
    };
  };
}
