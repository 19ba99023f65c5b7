import { Session } from "node:inspector";
import { ActorsError } from "./errors.js";

const sampleMicros = 500;
const pieceChars = 256 << 10;

/**
 * Samples what this thread runs.
 * @returns pieces of the text of a `.cpuprofile` file (V8's JSON), after so many milliseconds
 * @throws ActorsError CANCELLED when the signal aborts, UNAVAILABLE when V8 refuses
 */
export async function* cpuProfile(ms: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const session = new Session();
  session.connect();
  const post = (method: string, params: object = {}) =>
    new Promise<{ profile: object }>((resolve, reject) => {
      session.post(method, params, (error, result) => {
        if (error) reject(new ActorsError("UNAVAILABLE", `${method}: ${error.message}`));
        else resolve(result as { profile: object });
      });
    });
  try {
    await post("Profiler.enable");
    await post("Profiler.setSamplingInterval", { interval: sampleMicros });
    await post("Profiler.start");
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (signal.aborted) throw new ActorsError("CANCELLED", "the profile was cancelled", { cause: signal.reason });
    const text = JSON.stringify((await post("Profiler.stop")).profile);
    for (let at = 0; at < text.length; at += pieceChars) yield text.slice(at, at + pieceChars);
  } finally {
    session.disconnect();
  }
}
