import type { Script } from "../environment.js";
import { gasConstant, halving, left, type Order, reference } from "./rates.js";

interface Run {
  kelvin: number;
  samples: { seconds: number; concentration: number }[];
}

const temperatures = [300, 340, 320];
const start = 1; // mol/L

/**
 * Runs 1 mol/L at three temperatures, sampled at eight times that double, later ones sooner where it is warmer; then takes the
 * order under which the readings of all runs are explained best.
 */
export const expert: Script = function* () {
  const runs: Run[] = [];
  let longest = 7_200;
  for (const kelvin of temperatures) {
    const times = Array.from({ length: 8 }, (_, i) => `${Number((longest / 2 ** (7 - i)).toPrecision(3))}s`);
    const told = yield `run ${kelvin}K ${start}M ${times.join(",")}`;
    const samples = [...told.matchAll(/([\d.]+) s: (-?[\d.]+) /g)].map(([, s, c]) => ({
      seconds: Number(s),
      concentration: Number(c),
    }));
    runs.push({ kelvin, samples });
    // Where it is warmer the half-life is a seventh to a hundredth, which sixteen-fold steps of time still meet.
    const half = samples.find(({ concentration }) => concentration < start / 2)?.seconds ?? longest;
    longest = kelvin === 300 ? half : Math.min(7_200, 8 * half);
  }
  const fits = ([0, 1, 2] as const).map((order) => fit(order, runs));
  const best = fits.reduce((a, b) => (b.off < a.off ? b : a));
  yield `report ${best.order} ${best.k.toExponential(4)} ${(best.activation / 1000).toFixed(2)}kJ/mol`;
};

/** A rate constant for each run, and a straight line of their logarithms over 1/T. */
function fit(order: Order, runs: readonly Run[]) {
  const constants = runs.map((run) => constantOf(order, run));
  const points = runs.map(({ kelvin }, i) => ({ x: 1 / reference - 1 / kelvin, y: Math.log(constants[i]!.k) }));
  const mean = (of: (p: { x: number; y: number }) => number) =>
    points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [x, y] = [mean((p) => p.x), mean((p) => p.y)];
  const slope = mean((p) => (p.x - x) * (p.y - y)) / mean((p) => (p.x - x) ** 2);
  const off = constants.reduce((sum, each) => sum + each.off, 0);
  return { order, off, k: Math.exp(y - slope * x), activation: slope * gasConstant };
}

/** The rate constant of one run by least squares: ever finer steps of its logarithm. */
function constantOf(order: Order, { samples }: Run): { k: number; off: number } {
  const offBy = (k: number) =>
    samples.reduce((sum, { seconds, concentration }) => sum + (left(order, k, start, seconds) - concentration) ** 2, 0);
  let best = halving(order, start, 1_000);
  for (let step = 3; step > 1e-4; step /= 1.5) {
    const tries = [-2, -1, 0, 1, 2].map((n) => best * Math.exp(n * step));
    best = tries.reduce((a, b) => (offBy(b) < offBy(a) ? b : a));
  }
  return { k: best, off: offBy(best) };
}
