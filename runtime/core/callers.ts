import { ActorsError } from "./errors.js";
import type { EndpointId } from "./ids.js";
import type { Frame } from "./outbox.js";

const cachedReplies = 1024; // answers kept for each caller, in case the link loses them
const maxCallers = 1024;
const askMs = 20_000;
const missedAnswers = 4; // one whose loop is busy for a minute is not dead

/** A call that runs or waits here. */
export interface Running {
  readonly cameAt: number;
  readonly deadline: number;
  /** The caller is of this runtime, so it can be asked. */
  readonly waits: boolean;
  cancel(reason?: ActorsError): void;
}

/** What an endpoint remembers of one caller, so that a call sent twice runs once. */
export class CallerState<R extends Running> {
  readonly running = new Map<number, R>();
  readonly replies = new Replies();
  /** Calls with lower ids have ended for their caller: a copy of one that arrives late must not run. */
  settled = 0;
  /** Calls up to this id may have been answered and forgotten. */
  forgotten = 0;
  missed = 0;
}

/** The last answers to one caller that may not have reached it. A ring, for every call writes it and hardly any reads it. */
export class Replies {
  readonly #ring: (Frame | undefined)[] = [];
  #first = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(id: number): Frame | undefined {
    return this.#ring.find((frame) => frame?.id === id);
  }

  /** @returns the answer that had to make room */
  keep(frame: Frame): Frame | undefined {
    const oldest = this.#size === cachedReplies ? this.#drop() : undefined;
    this.#ring[(this.#first + this.#size++) % cachedReplies] = frame;
    return oldest;
  }

  /** Lets go of answers to calls below this id while they are young, which costs less than to keep them, up to the first that is not. */
  settle(below: number): void {
    while (this.#size > 0 && this.#ring[this.#first]!.id! < below) this.#drop();
  }

  #drop(): Frame {
    const oldest = this.#ring[this.#first]!;
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % cachedReplies;
    this.#size--;
    return oldest;
  }
}

/** Those who called. Calls without a deadline end with their caller: it is asked, now and then, whether it lives. */
export class Callers<R extends Running> {
  readonly #states = new Map<EndpointId, CallerState<R>>();
  readonly #isAlive: (caller: EndpointId) => Promise<unknown>;
  readonly #timer: NodeJS.Timeout;

  /** @param isAlive rejects when there is no answer */
  constructor(isAlive: (caller: EndpointId) => Promise<unknown>) {
    this.#isAlive = isAlive;
    this.#timer = setInterval(() => this.ask(askMs), askMs);
    this.#timer.unref();
  }

  find(from: EndpointId): CallerState<R> | undefined {
    return this.#states.get(from);
  }

  of(from: EndpointId): CallerState<R> {
    let state = this.#states.get(from);
    if (state) return state;
    state = new CallerState();
    this.#states.set(from, state);
    if (this.#states.size > maxCallers) {
      for (const [endpoint, old] of this.#states) {
        if (old.running.size > 0) continue;
        this.#states.delete(endpoint);
        break;
      }
    }
    return state;
  }

  /** @param olderThanMs whoever has a call here for longer, that would never end by itself */
  ask(olderThanMs: number): Promise<void>[] {
    const before = performance.now() - olderThanMs;
    const asked: Promise<void>[] = [];
    for (const [caller, state] of this.#states) {
      const endless = [...state.running.values()].some(
        ({ deadline, cameAt, waits }) => waits && deadline === Number.POSITIVE_INFINITY && cameAt <= before,
      );
      if (endless) asked.push(this.#askOne(caller, state));
    }
    return asked;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #askOne(caller: EndpointId, state: CallerState<R>): Promise<void> {
    try {
      await this.#isAlive(caller);
      state.missed = 0;
    } catch {
      if (++state.missed < missedAnswers) return;
      const gone = new ActorsError("CANCELLED", `its caller, endpoint ${caller}, has not answered for over a minute`);
      for (const call of state.running.values()) if (call.deadline === Number.POSITIVE_INFINITY) call.cancel(gone);
    }
  }
}
