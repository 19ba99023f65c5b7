import type { ScoredSample } from "./advantages.js";
import { addReward } from "./rewards.js";

/** Milestones that a task is solved by way of. Those of a stage count once all earlier stages are complete. */
export interface Stage {
  milestones: readonly string[];
  /** Share of the whole potential, relative to the other stages. */
  weight: number;
}

/** phi in [0, 1]: how far the milestones reached lead. */
export function potentialOf(stages: readonly Stage[], reached: ReadonlySet<string>): number {
  const whole = stages.reduce((sum, { weight }) => sum + weight, 0);
  let potential = 0;
  for (const { milestones, weight } of stages) {
    const there = milestones.filter((name) => reached.has(name)).length;
    potential += (weight / whole) * (milestones.length > 0 ? there / milestones.length : 1);
    if (there < milestones.length) break;
  }
  return potential;
}

/**
 * Adds factor * (gamma * phi(s') - phi(s)) to the token that ended each turn. phi is 0 before the first turn and, as the theorem
 * asks of an episode's end, after the last: what was lent is paid back, so no other policy becomes optimal.
 * Ng, Harada & Russell 1999. `potentials_K`: phi after each turn.
 */
export function addPotentials(
  sample: ScoredSample,
  potentials_K: readonly number[],
  { gamma, factor }: { gamma: number; factor: number },
): void {
  let before = 0;
  for (const [k, turn] of sample.turns.entries()) {
    const after = k === sample.turns.length - 1 ? 0 : potentials_K[k]!;
    addReward(sample, turn.end, factor * (gamma * after - before));
    before = after;
  }
}

export interface OverlongBuffer {
  /** Sampled tokens that a response may have. */
  max: number;
  /** Of these, the last ones, which cost more and more. */
  buffer: number;
  factor: number;
}

/** Soft overlong penalty: from 0 at max - buffer to -factor at max and beyond. Yu et al. 2503.14476, eq. 13. */
export function overlongPenalty(length: number, { max, buffer, factor }: OverlongBuffer): number {
  const over = length - (max - buffer);
  return over > 0 ? -Math.min(1, over / buffer) * factor : 0;
}
