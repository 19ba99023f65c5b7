import { ActorsError } from "./errors.js";

/**
 * Waits for `promise` at most `timeoutMs`.
 * @throws ActorsError DEADLINE_EXCEEDED naming `what`, or CANCELLED when the signal aborts first.
 */
export async function withDeadline<T>(
  promise: Promise<T>,
  timeoutMs: number,
  what: string,
  signal?: AbortSignal,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new ActorsError("DEADLINE_EXCEEDED", `${what} took longer than ${timeoutMs} ms`)),
          timeoutMs,
        );
        if (!signal) return;
        onAbort = () => reject(new ActorsError("CANCELLED", `${what} was cancelled`, { cause: signal.reason }));
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener("abort", onAbort);
  }
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Resolves when the event loop has looked at sockets and timers: promises alone never let it. */
export const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
