import { type Handle, isActorsError } from "../../runtime/index.js";
import type { Ask, Outcome, RolloutActor } from "../rollout/actor.js";

export interface RolloutPoolOptions {
  /** Of one call, so of as many episodes as are asked for at once. */
  timeoutMs: number;
  signal: AbortSignal;
  line(text: string): void;
}

/** Times that the same samples are asked for again because the rollout actor was lost. */
const maxAsked = 10;
const reportMs = 100;

/** The rollout actors as one: whatever dies, each ask gets its outcome, or its trajectory arrived already. */
export class RolloutPool {
  readonly #actors: readonly Handle<RolloutActor>[];
  readonly #load: number[];
  readonly #options: RolloutPoolOptions;
  readonly #lost = new Map<number, { samples: number; reason: string }>();

  constructor(actors: readonly Handle<RolloutActor>[], options: RolloutPoolOptions) {
    this.#actors = actors;
    this.#load = actors.map(() => 0);
    this.#options = options;
  }

  /** Outcomes, without those of asks that `arrived` by the trajectory log while their actor died. */
  async play(
    asks: readonly Ask[],
    arrived: (ask: Ask) => boolean = () => false,
    cut?: AbortSignal,
  ): Promise<Outcome[]> {
    const { timeoutMs } = this.#options;
    const signal = cut ? AbortSignal.any([cut, this.#options.signal]) : this.#options.signal;
    let open = [...asks];
    for (let asked = 1; open.length > 0; asked++) {
      const actor = this.#load.indexOf(Math.min(...this.#load));
      this.#load[actor]! += open.length;
      try {
        return await this.#actors[actor]!.play.with({ timeoutMs, signal })(open);
      } catch (error) {
        const again = isActorsError(error) && (error.retryable || error.code === "OUTCOME_UNKNOWN");
        if (signal.aborted || !again || asked >= maxAsked) throw error;
        this.#load[actor]! -= open.length;
        open = open.filter((ask) => !arrived(ask));
        this.#report(actor, open.length, error.rawMessage);
        this.#load[actor]! += open.length;
      } finally {
        this.#load[actor]! -= open.length;
      }
    }
    return [];
  }

  /** One line for all the calls that a death ended. */
  #report(actor: number, samples: number, reason: string): void {
    const noted = this.#lost.get(actor);
    if (noted) {
      noted.samples += samples;
      return;
    }
    const entry = { samples, reason };
    this.#lost.set(actor, entry);
    setTimeout(() => {
      this.#lost.delete(actor);
      this.#options.line(
        `rollout actor ${actor} is lost (${entry.reason}); its ${entry.samples} unfinished samples are asked for again`,
      );
    }, reportMs);
  }
}
