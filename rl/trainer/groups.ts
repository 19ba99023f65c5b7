import {
  decodeTrajectory,
  oldestVersion,
  positionId,
  type SamplePosition,
  type Trajectory,
} from "../trajectories/trajectory.js";

export interface Entry {
  trajectory: Trajectory;
  /** As it arrived, for the record. */
  bytes: Uint8Array;
  /** Version of the oldest weights that sampled a token of it; undefined when nothing was sampled. */
  oldest: number | undefined;
}

export function entryOf(bytes: Uint8Array): Entry {
  const trajectory = decodeTrajectory(bytes);
  return { trajectory, bytes, oldest: oldestVersion(trajectory) };
}

interface Slot {
  entry?: Entry | undefined;
  failed?: string;
  /** Of the ask that is to fill it. */
  attempt: number;
}

/** The samples of one prompt: each place is filled once, by a trajectory or by the reason why there is none. */
export class Group {
  /** That asked for it. */
  readonly step: number;
  readonly group: number;
  /** Aborts the episodes that are still under way, once nobody will use them. */
  readonly cut = new AbortController();
  readonly #slots: Slot[];
  readonly #told = new Set<number>();
  #open: number;

  constructor(step: number, group: number, samples: number) {
    this.step = step;
    this.group = group;
    this.#slots = Array.from({ length: samples }, () => ({ attempt: 0 }));
    this.#open = samples;
  }

  get id(): string {
    return `${this.step}/${this.group}`;
  }

  get settled(): boolean {
    return this.#open === 0;
  }

  /** false: the place is taken, or another attempt is to fill it. */
  place(entry: Entry): boolean {
    const slot = this.#slots[entry.trajectory.sample];
    if (!slot || filled(slot) || entry.trajectory.attempt < slot.attempt) return false;
    slot.entry = entry;
    this.#told.add(entry.trajectory.sample); // by an earlier start of the run, if not by this one
    slot.attempt = entry.trajectory.attempt;
    this.#open--;
    return true;
  }

  /** Of a sample that has come. */
  entry(sample: number): Entry | undefined {
    return this.#slots[sample]?.entry;
  }

  /** Samples that are to be asked for now, each told once: those that begin at the task, others once what they branch off is settled. */
  ready(roots: number): number[] {
    const found = [...this.#slots.keys()].filter(
      (sample) => !this.#told.has(sample) && !this.has(sample) && (sample < roots || this.has(sample % roots)),
    );
    for (const sample of found) this.#told.add(sample);
    return found;
  }

  fail(sample: number, reason: string): void {
    const slot = this.#slots[sample];
    if (!slot || filled(slot)) return;
    slot.failed = reason;
    this.#open--;
  }

  /** The place of a trajectory that cannot be used: the next attempt is to fill it. */
  reopen(sample: number): number {
    const slot = this.#slots[sample]!;
    slot.entry = undefined;
    this.#open++;
    return ++slot.attempt;
  }

  has(sample: number): boolean {
    const slot = this.#slots[sample];
    return slot === undefined || filled(slot);
  }

  /** In the order of samples; failed ones are not there. */
  entries(): Entry[] {
    return this.#slots.flatMap(({ entry }) => (entry ? [entry] : []));
  }

  failures(): { key: string; reason: string }[] {
    return this.#keyed().flatMap(([key, { failed }]) => (failed === undefined ? [] : [{ key, reason: failed }]));
  }

  /** Keys of those that did not fail, so that each can be told why it is not used. */
  unused(): string[] {
    return this.#keyed().flatMap(([key, { failed }]) => (failed === undefined ? [key] : []));
  }

  missing(): string[] {
    return this.#keyed().flatMap(([, slot], sample) => (filled(slot) ? [] : [positionId(this.#at(sample))]));
  }

  #at(sample: number): SamplePosition {
    return { step: this.step, group: this.group, sample };
  }

  #keyed(): [key: string, slot: Slot][] {
    return this.#slots.map((slot, sample) => [`${positionId(this.#at(sample))}/${slot.attempt}`, slot]);
  }
}

const filled = ({ entry, failed }: Slot) => entry !== undefined || failed !== undefined;
