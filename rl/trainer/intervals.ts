import { seededRandom } from "../environments/random.js";

/** A mean and its 95 % confidence interval. */
export interface Estimate {
  mean: number;
  low: number;
  high: number;
}

const z = 1.959964; // of the normal distribution, two-sided 95 %
const resamples = 2000;

/**
 * Of one value a task, taken as drawn from all such tasks. Successes (0 or 1) have Wilson's interval (1927), which is right near 0
 * and 1 and for few tasks; other values the percentiles of a bootstrap over tasks (Efron 1979), the same for the same values.
 */
export function estimate(values: readonly number[]): Estimate {
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  if (values.every((value) => value === 0 || value === 1)) return wilson(sum(values), values.length);
  return bootstrap(values);
}

/** Of the change from one score of each task to another: the tasks' own difficulty cancels. `before` and `after` by task. */
export function pairedDifference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Estimate & { tasks: number } {
  const both = [...before].flatMap(([task, score]) => (after.has(task) ? [after.get(task)! - score] : []));
  const found = both.length === 0 ? { mean: 0, low: 0, high: 0 } : bootstrap(both);
  return { ...found, tasks: both.length };
}

export function wilson(successes: number, n: number): Estimate {
  const p = successes / n;
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return { mean: p, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function bootstrap(values: readonly number[]): Estimate {
  const dice = seededRandom(0xb007, values.length);
  const means = Float64Array.from({ length: resamples }, () => {
    let total = 0;
    for (let i = 0; i < values.length; i++) total += values[Math.floor(dice() * values.length)]!;
    return total / values.length;
  }).sort();
  const at = (q: number) => means[Math.min(resamples - 1, Math.floor(q * resamples))]!;
  return { mean: sum(values) / values.length, low: at(0.025), high: at(0.975) };
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/**
 * Chance that at least one of `k` samples is right, when `right` of `n` were: 1 - C(n - right, k) / C(n, k), without bias.
 * Chen et al. 2021, 2107.03374, equation 1, in the form that does not overflow.
 */
export function passAtK(n: number, right: number, k: number): number {
  if (n - right < k) return 1;
  let missed = 1;
  for (let i = n - right + 1; i <= n; i++) missed *= 1 - k / i;
  return 1 - missed;
}

/** 1, 2, 4 … and `n` itself. */
export function ksOf(n: number): number[] {
  const ks = [];
  for (let k = 1; k < n; k *= 2) ks.push(k);
  return [...ks, n];
}
