import { type DynamicSampling, exhausted, judgeGroups } from "../algorithms/dynamic-sampling.js";
import type { Ask } from "../rollout/actor.js";
import type { Delivery, TrajectoryLog } from "../trajectories/log.js";
import { decodeTrajectory, oldestVersion, type SamplePosition, sampleKey } from "../trajectories/trajectory.js";
import { StepBook } from "./book.js";
import type { RolloutPool } from "./rollouts.js";

export interface GenerationOptions {
  run: string;
  groups: number;
  samples: number;
  /** Steps between the weights that sampled a token and the step that trains on it. */
  maxStaleness: number;
  /** Version that the first step trains on; the next trains on one more, and so on. */
  firstVersion: number;
  signal: AbortSignal;
  line(text: string): void;
  /** Of groups that teach nothing; null: they are kept. */
  dynamic: DynamicSampling | null;
  /** Everything of an ask that does not follow from its place. */
  describe(at: SamplePosition): Pick<Ask, "seed" | "task" | "sampling">;
}

/**
 * Asks for the episodes of a step and gathers their trajectories. A step may be opened when the weights in force are at most
 * `maxStaleness` versions older than those it will train on: SkyRL's capacity rule, (staleness + step) * batch >= accepted +
 * running, held for each sample and not only for their sum.
 */
export class Generation {
  readonly #pool: Pick<RolloutPool, "play">;
  readonly #log: TrajectoryLog;
  readonly #options: GenerationOptions;
  readonly #books = new Map<number, StepBook>();
  readonly #reader = new AbortController();
  #reading: Promise<void> | undefined;
  #opened = 0;
  #taken = 0;
  duplicates = 0;
  stale = 0;

  constructor(pool: Pick<RolloutPool, "play">, log: TrajectoryLog, options: GenerationOptions) {
    this.#pool = pool;
    this.#log = log;
    this.#options = options;
  }

  /** Opens every step that may begin under `version`, up to `last`. */
  openUpTo(version: number, last: number): void {
    this.#reading ??= this.#read();
    const { firstVersion, maxStaleness } = this.#options;
    const newest = Math.min(last, version - firstVersion + maxStaleness);
    while (this.#opened <= newest) this.#open(this.#opened++);
  }

  /** The step's book once it is complete. Steps are taken in order. */
  async take(step: number, timeoutMs: number): Promise<StepBook> {
    const book = this.#books.get(step)!;
    await book.wait(timeoutMs, this.#options.signal);
    return book;
  }

  /** The step is committed: its trajectories need not come again. */
  commit(step: number): void {
    const book = this.#books.get(step);
    for (const { ack } of book?.all().flatMap(({ entries }) => entries) ?? []) ack();
    this.#books.delete(step);
    this.#taken = step + 1;
  }

  async close(): Promise<void> {
    this.#reader.abort();
    await this.#reading?.catch(() => {});
  }

  #open(step: number): void {
    const { groups, samples } = this.#options;
    const book = new StepBook(step, groups, samples, this.#reviewer());
    this.#books.set(step, book);
    this.#fill(book, 0, groups);
  }

  #fill(book: StepBook, first: number, count: number): void {
    const { run, samples } = this.#options;
    const { step } = book;
    for (let group = first; group < first + count; group++) {
      const asks = Array.from({ length: samples }, (_, sample) => this.#ask(run, { step, group, sample }, 0));
      this.#request(book, asks);
    }
  }

  /** Counts the batches of one step. @throws by the book, when too many were asked for */
  #reviewer(): (book: StepBook) => void {
    const { dynamic, groups } = this.#options;
    let batches = 1;
    return (book) => {
      if (!dynamic) return;
      const scores_GS = book.all().map(({ entries }) => entries.map(({ trajectory }) => trajectory.reward));
      const verdict = judgeGroups(scores_GS, groups, dynamic);
      if (verdict.enough) {
        for (const g of verdict.dull) book.drop(g, "all its scores are the same");
        return;
      }
      if (batches++ >= dynamic.maxBatches) return book.abandon(exhausted(book.step, verdict, groups, dynamic));
      this.#fill(book, book.grow(verdict.missing), verdict.missing);
    };
  }

  #ask(run: string, { step, group, sample }: SamplePosition, attempt: number): Ask {
    const at = { step, group, sample };
    return { ...at, attempt, key: sampleKey(run, at, attempt), publish: true, ...this.#options.describe(at) };
  }

  #request(book: StepBook, asks: Ask[]): void {
    this.#pool
      .play(asks, (ask) => book.has(ask))
      .then(
        (outcomes) => {
          for (const { key, status, reason } of outcomes) {
            const ask = asks.find((a) => a.key === key);
            if (ask && status === "failed") book.fail(ask, reason);
          }
        },
        (error) => book.abandon(error),
      );
  }

  async #read(): Promise<void> {
    const signal = AbortSignal.any([this.#reader.signal, this.#options.signal]);
    try {
      for await (const delivery of this.#log.consume(signal, this.#options.line)) this.#receive(delivery);
    } catch (error) {
      for (const book of this.#books.values()) book.abandon(error);
    }
  }

  #receive({ bytes, ack }: Delivery): void {
    const trajectory = decodeTrajectory(bytes);
    const { step, attempt } = trajectory;
    const book = this.#books.get(step);
    if (!book || step < this.#taken) {
      this.duplicates++;
      return ack(); // of a step that is done
    }
    const { firstVersion, maxStaleness, run } = this.#options;
    const oldest = oldestVersion(trajectory);
    if (oldest !== undefined && firstVersion + step - oldest > maxStaleness) {
      this.stale++;
      ack();
      if (!book.has(trajectory)) this.#request(book, [this.#ask(run, trajectory, attempt + 1)]);
      return;
    }
    if (!book.place({ trajectory, bytes, ack })) this.duplicates++;
  }
}
