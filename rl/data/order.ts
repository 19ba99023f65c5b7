import { deriveSeed } from "../algorithms/seeds.js";
import { seededRandom, shuffled } from "../environments/random.js";

// Every order here is a function of (seed, position): a run that goes on knows its place from the number alone, and any
// machine finds the same row there.

/** 0 … count-1 again and again: each epoch takes every one once, in an order of its own unless they keep theirs. */
export class Epochs {
  readonly #count: number;
  readonly #shuffle: boolean;
  #latest: { seed: number; epoch: number; order: number[] } | undefined;

  constructor(count: number, shuffle: boolean) {
    this.#count = count;
    this.#shuffle = shuffle;
  }

  at(seed: number, position: number): number {
    const within = position % this.#count;
    if (!this.#shuffle) return within;
    const epoch = Math.floor(position / this.#count);
    if (this.#latest?.seed !== seed || this.#latest.epoch !== epoch) {
      const order = shuffled([...Array(this.#count).keys()], seededRandom(seed, epoch));
      this.#latest = { seed, epoch, order };
    }
    return this.#latest.order[within]!;
  }
}

const blockLength = 1000;

/** Which of several sources a position takes: in every block of 1,000 positions each has its share, drawn in an order of its own. */
export class Mixture {
  readonly #quota: readonly number[];
  #latest: { seed: number; block: number; places: { source: number; rank: number }[] } | undefined;

  constructor(weights: readonly number[]) {
    this.#quota = apportion(weights, blockLength);
  }

  /** `rank` counts what the source has given before. */
  at(seed: number, position: number): { source: number; rank: number } {
    const block = Math.floor(position / blockLength);
    if (this.#latest?.seed !== seed || this.#latest.block !== block) {
      const sources = shuffled(
        this.#quota.flatMap((count, source) => Array<number>(count).fill(source)),
        seededRandom(seed, mixtureStream, block),
      );
      const given = this.#quota.map((count) => count * block);
      const places = sources.map((source) => ({ source, rank: given[source]!++ }));
      this.#latest = { seed, block, places };
    }
    return this.#latest.places[position % blockLength]!;
  }
}

const mixtureStream = 0x313c;
const curriculumStream = 0xc0de;

/** Whole parts of `total` by weight, largest remainders first; what has a weight has at least one. */
export function apportion(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const exact = weights.map((weight) => (weight / sum) * total);
  const parts = exact.map((x, i) => (weights[i]! > 0 ? Math.max(1, Math.floor(x)) : 0));
  const byNeed = [...exact.keys()].sort((a, b) => exact[b]! - parts[b]! - (exact[a]! - parts[a]!) || a - b);
  for (let spare = total - parts.reduce((a, b) => a + b, 0), i = 0; spare !== 0; i++) {
    const at = byNeed[spare > 0 ? i % byNeed.length : byNeed.length - 1 - (i % byNeed.length)]!;
    if (spare > 0 && weights[at]! > 0) [parts[at]!, spare] = [parts[at]! + 1, spare - 1];
    else if (spare < 0 && parts[at]! > 1) [parts[at]!, spare] = [parts[at]! - 1, spare + 1];
  }
  return parts;
}

/**
 * Share of the rows, from the easiest on, that a step draws from: a square root of the time from `start` to 1, so that new rows
 * come at a rate that suits their number. Platanios et al. 2019, 1903.09848, equation 6.
 */
export function competence(step: number, { start, steps }: { start: number; steps: number }): number {
  return Math.min(1, Math.sqrt((step * (1 - start ** 2)) / steps + start ** 2));
}

/** A place among the `open` easiest, drawn with replacement. */
export function drawEasy(open: number, ...stream: number[]): number {
  return Math.floor(seededRandom(deriveSeed(curriculumStream, ...stream))() * open);
}
