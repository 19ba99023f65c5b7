import type { TokenLoss } from "../../native/index.js";
import type { Correction } from "../algorithms/corrections.js";
import type { NativeLossName } from "../algorithms/policy-losses.js";
import type { Config } from "../config/schema.js";
import type { LossSettings } from "../learner/update.js";

type Algorithm = Config["trainer"]["algorithm"];

/** `module`: file URL of the loss that the configuration names by path; `beta`: price of the divergence from the reference. */
export function lossSettings(algorithm: Algorithm, module: string | null, beta: number | null): LossSettings {
  return {
    kind: "policy",
    token:
      module === null
        ? tokenLosses[algorithm.policy_loss_type as NativeLossName](algorithm)
        : { kind: "module", url: module },
    entropyCoef: algorithm.use_entropy_loss ? algorithm.entropy_loss_coef : 0,
    kl: algorithm.use_kl_loss && beta !== null ? { coef: beta, estimator: algorithm.kl_estimator_type } : null,
    old: algorithm.old_logprobs,
    corrections: correctionsOf(algorithm.off_policy_correction),
  };
}

const band = (a: Algorithm) => ({ clipLow: a.eps_clip_low, clipHigh: a.eps_clip_high });

const tokenLosses: { [K in NativeLossName]: (algorithm: Algorithm) => TokenLoss & { kind: K } } = {
  regular: (a) => ({ kind: "regular", ...band(a) }),
  dual_clip: (a) => ({ kind: "dual_clip", ...band(a), dualClip: a.clip_ratio_c }),
  gspo: (a) => ({ kind: "gspo", ...band(a) }),
  cispo: ({ cispo }) => ({
    ...{ kind: "cispo", clipLow: cispo.cispo_eps_clip_low, clipHigh: cispo.cispo_eps_clip_high },
  }),
  sapo: ({ sapo }) => ({ kind: "sapo", tauPositive: sapo.tau_pos, tauNegative: sapo.tau_neg }),
  dppo: ({ dppo }) => ({ kind: "dppo", deltaLow: dppo.delta_low, deltaHigh: dppo.delta_high }),
  decoupled_ppo: (a) => ({ kind: "decoupled_ppo", ...band(a) }),
  importance_sampling: () => ({ kind: "importance_sampling" }),
  cross_entropy: () => ({ kind: "cross_entropy" }),
};

/** Those that the configuration asks for. */
function correctionsOf(c: Config["trainer"]["algorithm"]["off_policy_correction"]): Correction[] {
  const wanted: Correction[] = [];
  const { outlier_token_is_threshold_low: low, outlier_token_is_threshold_high: high, tis_ratio_type: tis } = c;
  if (low !== null || high !== null) wanted.push({ kind: "outlier_mask", low: low ?? 0, high: high ?? Infinity });
  const band = { low: c.token_mask_is_threshold_low, high: c.token_mask_is_threshold_high };
  if (c.mask_type === "icepop") wanted.push({ kind: "icepop", ...band });
  if (c.mask_type === "mis") wanted.push({ kind: "mis", level: c.mask_ratio_type, ...band });
  const cap = tis === "sequence" ? c.sequence_tis_ratio_clip_high : c.token_tis_ratio_clip_high;
  if (tis) wanted.push({ kind: "tis", level: tis, cap });
  if (c.sequence_mask_metric) wanted.push({ kind: "geometric_mask", low: c.geo_mask_low, high: c.geo_mask_high });
  return wanted;
}
