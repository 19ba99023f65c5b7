import { ActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import { pause } from "../core/wait.js";
import { type ActorRecord, ActorState, hasEnded, hasStarted, label } from "../directory/directory.js";
import type { Seat } from "./loads.js";
import type { Records } from "./records.js";
import { gone } from "./restarts.js";
import { placeAgainMs, type Starter, startMs } from "./starter.js";

/** The coordinator's steps with single actors. */
export interface Steps {
  create(wanted: ActorRecord): Promise<ActorRecord>;
  launch(record: ActorRecord, until: number, seat?: Seat): Promise<ActorRecord>;
  /** Ends the record of an actor that never ran, and throws the error. */
  notStarted(record: ActorRecord, error: unknown): Promise<never>;
  stop(id: string, reason: string): Promise<void>;
  inLane<T>(record: ActorRecord, step: () => Promise<T>): Promise<T>;
}

type On = Steps & { records: Records; starter: Starter; ended: AbortSignal; log: Logger };

/** Of a gang that has no seats yet; they are only taken together. */
export const isWaitingInGang = ({ state, placement }: ActorRecord) =>
  state === ActorState.PENDING && (placement?.gang ?? "") !== "";

/** Starts groups of actors: all of a group run in the end, or none. */
export class Gangs {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  async spawn(wanted: ActorRecord[], until: number): Promise<ActorRecord[]> {
    const { records, ended } = this.#on;
    const known = wanted.flatMap(({ id }) => records.get(id as ActorId) ?? []);
    if (known.length === 0) return this.#launch(await this.#create(wanted), until);
    // The same request, sent again: who took over sees to the gang.
    for (;;) {
      const now = wanted.map(({ id }) => records.get(id as ActorId));
      const over = now.find((record) => record && hasEnded(record));
      if (over) throw gone(over);
      if (now.every((record) => record && hasStarted(record))) return now as ActorRecord[];
      if (Date.now() > until || ended.aborted)
        throw new ActorsError("DEADLINE_EXCEEDED", `the start of ${label(wanted[0]!)} and its gang took too long`);
      await pause(placeAgainMs, ended);
    }
  }

  /** Starts the gangs that waited when the coordinator changed, and ends those that are no longer, or not yet, whole. */
  takeOver(): void {
    const live = this.#on.records.live();
    const waiting = new Set(live.filter(isWaitingInGang).map(({ placement }) => placement!.gang));
    for (const gang of waiting) {
      const members = live.filter(({ placement }) => placement?.gang === gang);
      const size = members[0]!.placement!.gangSize ?? 0;
      const step =
        members.length < size
          ? this.#abandon(members, incomplete(members, size))
          : this.#launch(members.filter(isWaitingInGang), Date.now() + startMs);
      void step.catch((err: unknown) => this.#on.log.debug({ err, gang }, "gang"));
    }
  }

  async #create(wanted: ActorRecord[]): Promise<ActorRecord[]> {
    const made = await Promise.allSettled(wanted.map((each) => this.#on.create(each)));
    const failed = made.find((each) => each.status === "rejected");
    const records = made.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    if (!failed) return records;
    await this.#abandon(records, failed.reason);
    throw failed.reason;
  }

  async #launch(gang: readonly ActorRecord[], until: number): Promise<ActorRecord[]> {
    const { records, starter, ended, launch, notStarted, stop, inLane } = this.#on;
    const seats = await starter.seats(gang, until).catch((error: unknown) => error as Error);
    const started = await Promise.allSettled(
      gang.map((record, i) =>
        inLane(record, () => {
          if (seats instanceof Error) return notStarted(record, seats);
          return launch(records.get(record.id as ActorId) ?? record, until, seats[i]);
        }),
      ),
    );
    if (!(seats instanceof Error)) starter.release(gang);
    const failed = started.find((each) => each.status === "rejected");
    if (!failed) return started.map((each) => (each as PromiseFulfilledResult<ActorRecord>).value);
    if (!ended.aborted) await Promise.all(gang.map(({ id }) => stop(id, "another of its gang did not start")));
    throw failed.reason;
  }

  /** Ends what there is of a gang that will not be whole. */
  async #abandon(members: readonly ActorRecord[], error: unknown): Promise<void> {
    const { notStarted, stop, inLane } = this.#on;
    const steps = members.map((record) =>
      isWaitingInGang(record)
        ? inLane(record, () => notStarted(record, error))
        : stop(record.id, "another of its gang did not start"),
    );
    await Promise.allSettled(steps);
  }
}

function incomplete(members: readonly ActorRecord[], size: number): ActorsError {
  const what = label(members[0]!);
  return new ActorsError(
    "UNAVAILABLE",
    `the coordinator was lost while it started the gang of ${what}: ${members.length} of ${size} members were left`,
    {
      hint: "Nothing of the gang runs; spawn it again.",
    },
  );
}
