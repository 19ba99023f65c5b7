import { actors } from "#protos";
import { ActorsError } from "./core/errors.js";
import type { ActorId } from "./core/ids.js";
import { type ActorRecord, ActorState, type Directory, hasEnded, locate } from "./directory/directory.js";

export interface LifecycleEvent {
  /** Passivated: it was idle and runs nowhere; `started` again when it was called. */
  kind: "started" | "restarted" | "passivated" | "stopped" | "failed";
  /** Incarnation. */
  epoch: number;
  /** Where it runs, or ran last. */
  node: string;
  /** Restarted: why the incarnation before ended. Failed: what calls to it get, with its last crashes in `details`. */
  error?: ActorsError;
}

const reachMs = 15_000; // as long as the directory itself rides out a lost server

/**
 * What the actor's record says, each time it says something new. Only the newest record is kept, so a reader may be slow
 * or never come.
 */
export async function* watchActor(
  directory: Directory,
  id: ActorId,
  signals: readonly AbortSignal[],
): AsyncGenerator<LifecycleEvent, void, undefined> {
  const ends = [directory.closed, ...signals];
  let record: ActorRecord | undefined;
  let wake = () => {};
  const ended = () => wake();
  const look = () => {
    record = directory.actors.get(id)?.record ?? (record && forgotten(record));
    wake();
  };
  const unlisten = directory.onChange((changed) => changed === id && look());
  for (const signal of ends) signal.addEventListener("abort", ended);
  try {
    if (!directory.actors.has(id)) record = await learn(directory, id);
    look();
    for (let told = ""; !ends.some((signal) => signal.aborted); ) {
      const event = eventOf(record!);
      const news = event && `${event.kind} ${event.epoch}`;
      if (event && news !== told) {
        told = news!;
        yield event;
        if (event.kind === "stopped" || event.kind === "failed") return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    unlisten();
    for (const signal of ends) signal.removeEventListener("abort", ended);
  }
}

/** This copy of the directory may not show yet what the store holds. */
async function learn(directory: Directory, id: ActorId): Promise<ActorRecord> {
  const entry = await directory.store.get(`actor.${id}`);
  if (!entry) {
    throw new ActorsError("NOT_FOUND", `there is no actor ${id}`, {
      hint: "`actors ps --all` lists those that ended, until there are a thousand.",
    });
  }
  await directory.reach(entry.revision, reachMs);
  return actors.v1.ActorRecord.decode(entry.value);
}

/** Only ended actors are removed from the directory. */
function forgotten(record: ActorRecord): ActorRecord {
  if (hasEnded(record)) return record;
  return new actors.v1.ActorRecord({ ...record, state: ActorState.STOPPED });
}

function eventOf(record: ActorRecord): LifecycleEvent | undefined {
  const { state, epoch, node, restarts, rested } = record;
  const error = locate(record).failure;
  switch (state) {
    case ActorState.RUNNING:
      if (restarts === 0 || rested > 0) return { kind: "started", epoch, node };
      return { kind: "restarted", epoch, node, ...(error && { error }) };
    case ActorState.PASSIVE:
      return { kind: "passivated", epoch, node };
    case ActorState.STOPPED:
      return { kind: "stopped", epoch, node };
    case ActorState.FAILED:
      return { kind: "failed", epoch, node, ...(error && { error }) };
    default:
      return undefined;
  }
}
