import { ActorsError, type ErrorOptions } from "../core/errors.js";

export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** What was typed, or written into a file, is wrong: exit code 2. */
export class UsageError extends ActorsError {
  constructor(message: string, options: ErrorOptions = {}) {
    super("INVALID_ARGUMENT", message, options);
  }
}

/** Reads a whole number of a flag. @throws UsageError that names the flag, its bounds and what was given */
export function wholeNumber(flag: string, min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${flag} must be a whole number ${bounds}, not ${text}`);
  };
}

/** The one of `known` that is a slip of the keyboard away from `given`. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, off: distance(given, name) })).sort((a, b) => a.off - b.off);
  return ranked.find(({ off }) => off <= Math.max(1, given.length / 3))?.name;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
