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

/** The samples of one step: each place is filled once, by a trajectory or by the reason why there is none. */
export class StepBook {
  readonly step: number;
  readonly #slots: Slot[][];
  #open: number;
  #settle!: { resolve(): void; reject(error: unknown): void };
  readonly #complete: Promise<void>;

  constructor(step: number, groups: number, samples: number) {
    this.step = step;
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

  /** Trajectories by group, in the order of their samples. Failed ones are not there. */
  groups(): Entry[][] {
    return this.#slots.map((group) => group.flatMap(({ entry }) => (entry ? [entry] : [])));
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
    if (--this.#open === 0) this.#settle.resolve();
  }

  #slot({ step, group, sample }: SamplePosition): Slot | undefined {
    return step === this.step ? this.#slots[group]?.[sample] : undefined;
  }
}
