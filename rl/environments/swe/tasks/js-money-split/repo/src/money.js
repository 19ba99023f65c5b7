import { fromCents, toCents } from "./cents.js";

export const add = (amounts) => amounts.reduce((sum, amount) => sum + amount, 0);

export function split(amount, ways) {
  const each = Math.floor(toCents(amount) / ways);
  return Array.from({ length: ways }, () => fromCents(each));
}

export function splitBy(amount, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => fromCents(Math.round((toCents(amount) * weight) / total)));
}

export const format = (amount) => amount.toFixed(2);
