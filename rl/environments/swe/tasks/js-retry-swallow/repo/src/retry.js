import { pause } from "./pause.js";

/** Calls `work(attempt)`, from 1, until it succeeds. `wait` is for tests. */
export async function retry(work, { attempts = 3, delayMs = 100, maxDelayMs = 5_000, signal, wait = pause } = {}) {
  for (let attempt = 1; attempt <= attempts + 1; attempt++) {
    try {
      return await work(attempt);
    } catch {
      await wait(Math.max(delayMs * attempt, maxDelayMs), signal);
    }
  }
  throw new Error("failed");
}
