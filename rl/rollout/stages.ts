import { withDeadline } from "../../runtime/index.js";
import { type StageSeconds, stageSeconds } from "../trajectories/trajectory.js";
import { Gate } from "./gate.js";

/** Of an episode: its sandbox is prepared, the policy acts, what came of it is graded. */
export const stageNames = ["init", "run", "reward"] as const;
export type Stage = (typeof stageNames)[number];

export interface StageOptions {
  /** Episodes in each at once. */
  places: Record<Stage, number>;
  /** Of one episode in each. */
  timeoutMs: Record<Stage, number>;
  /** Of the wait for a place, or for a sandbox. */
  queueMs: number;
}

const whatTook = (stage: Stage) => `the ${stage} stage of an episode (generator.stage_timeout_seconds.${stage})`;

/**
 * The stages of many episodes. An episode gives up its place in a stage once it has one in the next, so a slow stage holds up
 * those before it, and no more episodes are under way than all stages have places.
 */
export class Pipeline {
  readonly #gates: Record<Stage, Gate>;
  readonly #options: StageOptions;

  constructor(options: StageOptions) {
    const { init, run, reward } = options.places;
    this.#gates = { init: new Gate(init), run: new Gate(run), reward: new Gate(reward) };
    this.#options = options;
  }

  passage(signal: AbortSignal): Passage {
    return new Passage(this.#gates, this.#options, signal);
  }
}

/** One episode's way through the stages. */
export class Passage implements Disposable {
  readonly seconds = stageSeconds();
  readonly #gates: Record<Stage, Gate>;
  readonly #options: StageOptions;
  readonly #signal: AbortSignal;
  #at: Stage | undefined;
  /** Aborts with the stage it is in. */
  #working: AbortSignal;
  #leave: () => void = () => {};

  constructor(gates: Record<Stage, Gate>, options: StageOptions, signal: AbortSignal) {
    this.#gates = gates;
    this.#options = options;
    this.#signal = signal;
    this.#working = signal;
  }

  /** Waits for what others hold: a place, a sandbox. */
  async queue<T>(work: (timeoutMs: number) => Promise<T>): Promise<T> {
    return this.#timed("queued", () => work(this.#options.queueMs));
  }

  async enter(stage: Stage): Promise<void> {
    if (this.#at === stage) return;
    const leave = await this.queue((ms) => this.#gates[stage].enter(this.#signal, ms, `a place in the ${stage} stage`));
    this.#leave();
    this.#leave = leave;
    this.#at = stage;
  }

  /**
   * Enters a stage and does its work there, within the stage's time.
   * @throws ActorsError DEADLINE_EXCEEDED, retryable, naming the stage: an episode that is too slow was not the policy's doing
   */
  async through<T>(stage: Stage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    await this.enter(stage);
    const over = new AbortController();
    const signal = AbortSignal.any([this.#signal, over.signal]);
    this.#working = signal;
    const timeoutMs = this.#options.timeoutMs[stage];
    try {
      return await this.#timed(stage, () => withDeadline(work(signal), timeoutMs, whatTook(stage), this.#signal));
    } finally {
      over.abort();
    }
  }

  /** `signal` aborts when the stage is over: nothing is sampled for an episode that was given up. */
  async generate<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#timed("generate", () => work(this.#working));
  }

  [Symbol.dispose](): void {
    this.#leave();
    this.#leave = () => {};
    this.#at = undefined;
  }

  async #timed<T>(what: keyof StageSeconds, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.seconds[what] += (performance.now() - started) / 1000;
    }
  }
}
