import { ActorsError, type ErrorOptions } from "../core/errors.js";

export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** What was typed, or written into a file, is wrong: exit code 2. */
export class UsageError extends ActorsError {
  readonly exitCode = exitCodes.usage;

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
