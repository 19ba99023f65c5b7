import { actors } from "#protos";
import { ActorsError, fromFailure, toFailure } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { type ActorRecord, label } from "../directory/directory.js";

const maxDelayMs = 5_000;
const keptCrashes = 5;
const maxErrorText = 500;

/** What a record keeps of an end that nobody asked for: the last one whole, the newest five in short. */
export function withCrash(
  { epoch, node, crashes }: ActorRecord,
  error: ActorsError,
): Pick<ActorRecord, "failure" | "crashes"> {
  const crash = new actors.v1.Crash({ at: Date.now(), epoch, node, error: error.message.slice(0, maxErrorText) });
  return { failure: new actors.v1.Failure(toFailure(error)), crashes: [...crashes, crash].slice(-keptCrashes) };
}

/** What whoever asks for an actor that has ended gets. */
export function gone(record: ActorRecord): ActorsError {
  return record.failure
    ? fromFailure(record.failure)
    : new ActorsError("ACTOR_STOPPED", `${label(record)} was stopped`);
}

/** Counts restarts within their window and spaces them out. */
export class RestartBudget {
  readonly #past = new Map<ActorId, number[]>();

  /** @returns milliseconds to wait before the next start, or undefined when the policy allows none */
  next(id: ActorId, restart: actors.v1.Restart.$Properties | null | undefined, now = Date.now()): number | undefined {
    if (restart?.policy === actors.v1.RestartPolicy.NEVER) return undefined;
    const recent = (this.#past.get(id) ?? []).filter((at) => now - at < (restart?.withinMs ?? 60_000));
    if (recent.length >= (restart?.max ?? 5)) return undefined;
    this.#past.set(id, [...recent, now]);
    if (recent.length === 0) return 0;
    const delay = Math.min(maxDelayMs, (restart?.backoffMs ?? 50) * 2 ** (recent.length - 1));
    return delay * (0.75 + Math.random() / 2); // jitter, so that many do not start in step
  }
}
