import type { OpResult, OutputChunk, RunOptions } from "./session.js";

/** A run's output as it comes, then its results. Leaving the loop aborts it. */
export async function* follow(
  start: (options: RunOptions) => Promise<OpResult[]>,
  signal?: AbortSignal,
): AsyncGenerator<OutputChunk, OpResult[], undefined> {
  const chunks: OutputChunk[] = [];
  const leaving = new AbortController();
  let wake = () => {};
  let ended = false;
  const running = start({
    signal: signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal,
    onOutput: (chunk) => {
      chunks.push(chunk);
      wake();
    },
  }).finally(() => {
    ended = true;
    wake();
  });
  running.catch(() => {}); // awaited below, unless the loop was left
  try {
    while (!ended || chunks.length > 0) {
      const chunk = chunks.shift();
      if (chunk) yield chunk;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    return await running;
  } finally {
    if (!ended) leaving.abort();
  }
}
