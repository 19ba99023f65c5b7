import { rk4 } from "../rk4.js";

/**
 * The quadruple-tank process of K. H. Johansson, "The Quadruple-Tank Process: A Multivariable Laboratory Process with an
 * Adjustable Zero", IEEE Transactions on Control Systems Technology 8(3), 2000: tanks 3 and 4 drain into 1 and 2; each of two
 * pumps feeds one lower tank and, crosswise, one upper tank. Parameters of its minimum-phase setting.
 */
export const area = [28, 32, 28, 32] as const; // cm²
export const outlet = [0.071, 0.057, 0.071, 0.057] as const; // cm²
export const gravity = 981; // cm/s²
export const pumpGain = [3.33, 3.35] as const; // cm³/(V s)
/** Share of each pump's flow that goes to its lower tank. */
export const split = [0.7, 0.6] as const;
export const tankHeight = 20; // cm
export const maxVolts = 10;

/** Outflow of tank `i`, cm³/s, by Torricelli's law. */
export const outflow = (i: number, level: number) => outlet[i]! * Math.sqrt(2 * gravity * Math.max(0, level));

/** @param h levels, cm @param v pump voltages @param d unmeasured inflow into tanks 3 and 4, cm³/s @returns cm/s */
export function derivative(h: readonly number[], [v1, v2]: Pair, [d1, d2]: Pair): number[] {
  const [q1, q2, q3, q4] = h.map((level, i) => outflow(i, level)) as [number, number, number, number];
  const [f1, f2] = [pumpGain[0] * v1, pumpGain[1] * v2];
  const net = [
    split[0] * f1 + q3 - q1,
    split[1] * f2 + q4 - q2,
    (1 - split[1]) * f2 + d1 - q3,
    (1 - split[0]) * f1 + d2 - q4,
  ];
  return net.map((flow, i) => flow / area[i]!);
}

export type Pair = readonly [number, number];

/** The levels after `seconds` with everything else held, in steps of 0.5 s. */
export function simulate(h: readonly number[], v: Pair, d: Pair, seconds: number): number[] {
  const dt = 0.5;
  let levels = [...h];
  for (let t = 0; t < seconds; t += dt) {
    levels = rk4((x) => derivative(x, v, d), levels, dt).map((level) => Math.max(0, level));
  }
  return levels;
}

/** The voltages that hold the lower tanks at these levels, without disturbance. */
export function holdingVolts([h1, h2]: Pair): Pair {
  const [q1, q2] = [outflow(0, h1), outflow(1, h2)];
  const [g1, g2] = split;
  const f1 = (g2 * q1 - (1 - g2) * q2) / (g1 + g2 - 1);
  const f2 = (g1 * q2 - (1 - g1) * q1) / (g1 + g2 - 1);
  return [f1 / pumpGain[0], f2 / pumpGain[1]];
}

/** Where it comes to rest. */
export function steadyLevels(v: Pair, d: Pair = [0, 0]): number[] {
  const [f1, f2] = [pumpGain[0] * v[0], pumpGain[1] * v[1]];
  const q3 = (1 - split[1]) * f2 + d[0];
  const q4 = (1 - split[0]) * f1 + d[1];
  return [split[0] * f1 + q3, split[1] * f2 + q4, q3, q4].map((q, i) => (q / outlet[i]!) ** 2 / (2 * gravity));
}
