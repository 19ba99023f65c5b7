import { ActorsError } from "../../runtime/index.js";
import type { AdvantageEstimator, ScoredSample } from "./advantages.js";
import { grpo } from "./score-advantages.js";

const varianceFloor = 1e-8;

/**
 * G_t = r_t + gamma * G_{t+1}, whitened over the step. The carry is 0 behind an observation, so what a later turn earns does not
 * reach back over it: give each turn its reward, or use `turn_level`. Hu 2501.03262.
 */
export const reinforcePlusPlus: AdvantageEstimator = (samples_GS, { gamma }) => {
  const returns_GS = samples_GS.map((samples_S) =>
    samples_S.map(({ rewards_T, lossMask_T }) => {
      const returns_T = new Float32Array(lossMask_T.length);
      let carry = 0;
      for (let t = lossMask_T.length - 1; t >= 0; t--) {
        carry = lossMask_T[t] ? rewards_T[t]! + gamma * carry : 0;
        returns_T[t] = carry;
      }
      return returns_T;
    }),
  );
  return whiten(returns_GS, samples_GS);
};

/**
 * The recursion over delta_t = r_t + gamma * V_{t+1} - V_t, whitened over the step; t + 1 is the next sampled token, whatever
 * observation lies between. Schulman et al. 1506.02438.
 * @throws ActorsError INVALID_ARGUMENT for a sample without values
 */
export const gae: AdvantageEstimator = (samples_GS, { gamma, lambda }) =>
  whiten(
    samples_GS.map((samples_S) => samples_S.map((sample) => generalizedAdvantages(sample, gamma, lambda).advantages_T)),
    samples_GS,
  );

/** Before whitening. The returns A + V are what a critic learns. */
export function generalizedAdvantages(sample: ScoredSample, gamma: number, lambda: number) {
  const { rewards_T, lossMask_T, values_T } = sample;
  if (!values_T) throw new ActorsError("INVALID_ARGUMENT", "gae needs a critic's value of each token");
  const advantages_T = new Float32Array(lossMask_T.length);
  const returns_T = new Float32Array(lossMask_T.length);
  let [advantage, next] = [0, 0];
  for (let t = lossMask_T.length - 1; t >= 0; t--) {
    if (!lossMask_T[t]) continue;
    const value = values_T[t]!;
    advantage = rewards_T[t]! + gamma * next - value + gamma * lambda * advantage;
    advantages_T[t] = advantage;
    returns_T[t] = advantage + value;
    next = value;
  }
  return { advantages_T, returns_T };
}

/**
 * The return from turn k on, relative to the samples of the group that came to a turn k, as `grpo` compares scores; each of the
 * turn's tokens gets it. Zeng et al. 2505.11821.
 */
export const turnLevel: AdvantageEstimator = (samples_GS, options) =>
  samples_GS.map((samples_S) => {
    const returns_SK = samples_S.map((sample) => returnsByTurn(sample, options.gamma));
    const advantages_ST = samples_S.map(({ lossMask_T }) => new Float32Array(lossMask_T.length));
    const turns = Math.max(0, ...returns_SK.map((returns_K) => returns_K.length));
    for (let k = 0; k < turns; k++) {
      const there = [...samples_S.keys()].filter((s) => k < returns_SK[s]!.length);
      const advantages = grpo(
        there.map((s) => returns_SK[s]![k]!),
        options,
      );
      for (const [i, s] of there.entries()) {
        const { lossMask_T, turns } = samples_S[s]!;
        const { start, end } = turns[k]!;
        for (let t = start; t < end; t++) if (lossMask_T[t]) advantages_ST[s]![t] = advantages[i]!;
      }
    }
    return advantages_ST;
  });

function returnsByTurn({ rewards_T, lossMask_T, turns }: ScoredSample, gamma: number): number[] {
  const returns_K = new Array<number>(turns.length).fill(0);
  let carry = 0;
  for (let k = turns.length - 1; k >= 0; k--) {
    carry *= gamma;
    for (let t = turns[k]!.start; t < turns[k]!.end; t++) if (lossMask_T[t]) carry += rewards_T[t]!;
    returns_K[k] = carry;
  }
  return returns_K;
}

/** (x - mean) * rsqrt(var + 1e-8) over the masked tokens of all samples, with Bessel's correction; fewer than two are only centred. */
function whiten(x_GST: Float32Array[][], samples_GS: readonly (readonly ScoredSample[])[]): Float32Array[][] {
  let [count, sum, squares] = [0, 0, 0];
  const each = (visit: (x_T: Float32Array, t: number) => void) => {
    for (const [g, samples_S] of samples_GS.entries())
      for (const [s, { lossMask_T }] of samples_S.entries())
        for (let t = 0; t < lossMask_T.length; t++) if (lossMask_T[t]) visit(x_GST[g]![s]!, t);
  };
  each((x_T, t) => {
    count++;
    sum += x_T[t]!;
  });
  const mean = sum / Math.max(1, count);
  each((x_T, t) => {
    squares += (x_T[t]! - mean) ** 2;
  });
  const scale = 1 / Math.sqrt(squares / Math.max(1, count - 1) + varianceFloor);
  each((x_T, t) => {
    x_T[t] = (x_T[t]! - mean) * scale;
  });
  return x_GST;
}
