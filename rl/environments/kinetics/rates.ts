/** J/(mol K). */
export const gasConstant = 8.314462618;
/** Where rate constants are compared, K. */
export const reference = 300;

export type Order = 0 | 1 | 2;

/** @param k at `reference` @param activation J/mol @returns the rate constant at `kelvin` by Arrhenius, in the units of `k` */
export const rateAt = (k: number, activation: number, kelvin: number) =>
  k * Math.exp((activation / gasConstant) * (1 / reference - 1 / kelvin));

/**
 * What is left, mol/L, of `start` after `seconds` of a reaction A -> products with the rate k [A]^order: the integrated rate laws.
 * k is in (mol/L)^(1 - order) / s.
 */
export function left(order: Order, k: number, start: number, seconds: number): number {
  if (order === 0) return Math.max(0, start - k * seconds);
  if (order === 1) return start * Math.exp(-k * seconds);
  return start / (1 + start * k * seconds);
}

/** The rate constant with which half of `start` is left after `seconds`. */
export function halving(order: Order, start: number, seconds: number): number {
  if (order === 0) return start / (2 * seconds);
  if (order === 1) return Math.LN2 / seconds;
  return 1 / (start * seconds);
}
