import { claim } from "../core/claim.js";
import { ActorsError } from "../core/errors.js";
import { pause } from "../core/wait.js";

const againMs = 50;

/**
 * Runs `step` while no other process of this machine holds the lock. One that a killed process left is taken over.
 * @param what that the holder does, for the error
 * @throws ActorsError DEADLINE_EXCEEDED, CANCELLED
 */
export async function withLock<T>(
  path: string,
  { what, timeoutMs, signal }: { what: string; timeoutMs: number; signal: AbortSignal },
  step: () => Promise<T>,
): Promise<T> {
  for (const until = Date.now() + timeoutMs; ; await pause(againMs, signal)) {
    if (signal.aborted) throw new ActorsError("CANCELLED", `${what} was cancelled`);
    const got = claim(path);
    if (typeof got !== "number") {
      try {
        return await step();
      } finally {
        got();
      }
    }
    if (Date.now() > until)
      throw new ActorsError("DEADLINE_EXCEEDED", `${what}: process ${got} was still at it after ${timeoutMs} ms`);
  }
}
