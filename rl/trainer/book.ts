import { ActorsError, withDeadline } from "../../runtime/index.js";
import type { SamplePosition, Trajectory } from "../trajectories/trajectory.js";

export interface Entry {
  trajectory: Trajectory;
  /** As it arrived, for the record. */
  bytes: Uint8Array;
  ack(): void;
}

interface Slot {
  entry?: Entry;
  failed?: string;
}

export interface Group {
  entries: Entry[];
  /** Why it is not trained on; null: it is. */
  dropped: string | null;
}

/**
 * The samples of one step: each place is filled once, by a trajectory or by the reason why there is none. When all are filled,
 * `review` may drop groups and ask for others in their place.
 */
export class StepBook {
  readonly step: number;
  readonly #slots: Slot[][];
  readonly #dropped = new Map<number, string>();
  readonly #samples: number;
  readonly #review: (book: StepBook) => void;
  #open: number;
  #settle!: { resolve(): void; reject(error: unknown): void };
  readonly #complete: Promise<void>;

  constructor(step: number, groups: number, samples: number, review: (book: StepBook) => void = () => {}) {
    this.step = step;
    this.#samples = samples;
    this.#review = review;
    this.#slots = Array.from({ length: groups }, () => Array.from({ length: samples }, () => ({})));
    this.#open = groups * samples;
    this.#complete = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#complete.catch(() => {}); // told to whoever waits; no one may be waiting yet
  }

  /** false: the place is taken, this is a duplicate. Its acknowledgement replaces the earlier one, which may be of a lost consumer. */
  place(entry: Entry): boolean {
    const slot = this.#slot(entry.trajectory);
    if (slot?.entry) slot.entry.ack = entry.ack;
    if (!slot || slot.entry || slot.failed !== undefined) return false;
    slot.entry = entry;
    this.#filled();
    return true;
  }

  fail(at: SamplePosition, reason: string): void {
    const slot = this.#slot(at);
    if (!slot || slot.entry || slot.failed !== undefined) return;
    slot.failed = reason;
    this.#filled();
  }

  /** Ends the wait with an error: no outcome will come. */
  abandon(error: unknown): void {
    this.#settle.reject(error);
  }

  has(at: SamplePosition): boolean {
    const slot = this.#slot(at);
    return slot?.entry !== undefined || slot?.failed !== undefined;
  }

  /** Takes a group out of the step. */
  drop(group: number, reason: string): void {
    this.#dropped.set(group, reason);
  }

  /** Room for more groups; the number of the first. */
  grow(groups: number): number {
    const first = this.#slots.length;
    for (let g = 0; g < groups; g++) this.#slots.push(Array.from({ length: this.#samples }, () => ({})));
    this.#open += groups * this.#samples;
    return first;
  }

  /** Trajectories by group, in the order of their samples; failed ones are not there, nor dropped groups. */
  groups(): Entry[][] {
    return this.all().flatMap(({ entries, dropped }) => (dropped === null ? [entries] : []));
  }

  /** Those that are not trained on too. */
  all(): Group[] {
    return this.#slots.map((group, g) => ({
      entries: group.flatMap(({ entry }) => (entry ? [entry] : [])),
      dropped: this.#dropped.get(g) ?? null,
    }));
  }

  dropped(): number {
    return this.#dropped.size;
  }

  failures(): string[] {
    return this.#slots.flat().flatMap(({ failed }) => (failed === undefined ? [] : [failed]));
  }

  /** @throws ActorsError DEADLINE_EXCEEDED naming what is missing */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    try {
      await withDeadline(this.#complete, timeoutMs, `the trajectories of step ${this.step}`, signal);
    } catch (cause) {
      if (!(cause instanceof ActorsError) || cause.code !== "DEADLINE_EXCEEDED") throw cause;
      throw new ActorsError("DEADLINE_EXCEEDED", `${cause.rawMessage}: ${this.#missing()} did not come`, {
        cause,
        hint: "Raise trainer.step_timeout_seconds if episodes take that long.",
      });
    }
  }

  #missing(): string {
    const missing = this.#slots.flatMap((group, g) =>
      group.flatMap((slot, s) => (slot.entry || slot.failed !== undefined ? [] : [`${this.step}/${g}/${s}`])),
    );
    return missing.length > 3 ? `${missing.slice(0, 3).join(", ")} and ${missing.length - 3} more` : missing.join(", ");
  }

  #filled(): void {
    if (--this.#open > 0) return;
    this.#review(this);
    if (this.#open === 0) this.#settle.resolve();
  }

  #slot({ step, group, sample }: SamplePosition): Slot | undefined {
    return step === this.step ? this.#slots[group]?.[sample] : undefined;
  }
}
