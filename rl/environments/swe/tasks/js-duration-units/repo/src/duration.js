import { units } from "./units.js";

/** Milliseconds of a duration. */
export function parse(text) {
  if (/^\d+$/.test(text)) return Number(text);
  let total = 0;
  for (const [, number, unit] of text.matchAll(/(\d+)([dhms])/g)) total += number * units[unit];
  return total;
}

export function format(ms) {
  let rest = ms;
  let out = "";
  for (const [unit, size] of Object.entries(units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) out += count + unit;
  }
  return out;
}
