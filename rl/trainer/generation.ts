import { ActorsError, withDeadline } from "../../runtime/index.js";
import { exhausted, judgeGroups } from "../algorithms/dynamic-sampling.js";
import type { Ask } from "../rollout/actor.js";
import { branchOf } from "../rollout/branch.js";
import type { EpisodeStore } from "../run/episodes.js";
import type { DataPosition, Dropped } from "../run/ledger.js";
import type { Delivery, TrajectoryLog } from "../trajectories/log.js";
import { positionId, type SamplePosition, sampleKey } from "../trajectories/trajectory.js";
import { type Entry, entryOf, Group } from "./groups.js";
import { OccupancyClock } from "./occupancy.js";
import type { RolloutPool } from "./rollouts.js";
import { type Selection, type SelectionRules, scoresOf, select } from "./select.js";

export interface GenerationOptions extends SelectionRules {
  run: string;
  samples: number;
  /** Of these, begin at the task; each of the others branches off one of them. */
  roots: number;
  /** Steps between the weights that sampled a token and the step that trains on it. */
  maxStaleness: number;
  /** Of tokens that are older: `redo` plays the episode again, `mask` leaves it as it is to who masks them. */
  staleTokens: "redo" | "mask";
  /** Attempts at a sample whose tokens become too old. */
  maxAttempts: number;
  /** Episodes that can be played at once. */
  workers: number;
  /** Version that the first step trains on; the next trains on one more, and so on. */
  firstVersion: number;
  signal: AbortSignal;
  line(text: string): void;
  /** Everything of an ask that does not follow from its place. */
  describe(at: SamplePosition): Pick<Ask, "seed" | "task" | "sampling">;
}

/** What a step trains on, and what will never be trained on. */
export interface StepSamples {
  /** Each in the order of its samples. */
  groups: Entry[][];
  dropped: Dropped[];
  /** Why episodes could not be played. */
  failures: string[];
  droppedGroups: number;
  cutGroups: number;
}

/**
 * Asks for episodes and gathers them. The prompts of a step are asked for when the weights in force are at most `maxStaleness`
 * versions older than those it will train on: SkyRL's capacity rule, (staleness + step) * batch >= accepted + running, so that
 * generation never runs further ahead. An episode counts once the store has it.
 */
export class Generation {
  readonly #pool: Pick<RolloutPool, "play">;
  readonly #log: TrajectoryLog;
  readonly #store: EpisodeStore;
  readonly #options: GenerationOptions;
  readonly #clock: OccupancyClock;
  /** Prompts that are neither trained on nor dropped, in the order in which they were asked for. */
  readonly #groups = new Map<string, Group>();
  /** Stored, and not asked for yet: by an earlier start of the run. The newest attempt of each position. */
  readonly #kept = new Map<string, Entry>();
  readonly #recalled = new Set<number>();
  /** How far episodes are that have not ended, by key: whoever plays them next goes on from there. */
  readonly #progress = new Map<string, Entry>();
  readonly #asks = new Map<string, Ask>();
  readonly #reader = new AbortController();
  #reading: Promise<void> | undefined;
  #wake: () => void = () => {};
  #failure: { error: unknown } | undefined;
  #opened: number;
  #left: string[];
  #refills = { step: -1, groups: 0 };
  duplicates = 0;
  stale = 0;

  /** @param from where an earlier start of the run was */
  constructor(
    pool: Pick<RolloutPool, "play">,
    log: TrajectoryLog,
    store: EpisodeStore,
    options: GenerationOptions,
    from: DataPosition = { opened: 0, open: [] },
  ) {
    this.#pool = pool;
    this.#log = log;
    this.#store = store;
    this.#options = options;
    this.#opened = from.opened;
    this.#left = from.open;
    this.#clock = new OccupancyClock(options.workers);
  }

  /** Asks for the prompts of every step that may begin under `version`, up to `last`. */
  async openUpTo(version: number, last: number): Promise<void> {
    const { firstVersion, maxStaleness, wanted, spare } = this.#options;
    const left = this.#left.map((id) => id.split("/").map(Number) as [number, number]);
    this.#left = [];
    for (const step of new Set(left.map(([step]) => step))) await this.#recall(step);
    for (const [step, group] of left) this.#open(step, group);
    const newest = Math.min(last, version - firstVersion + maxStaleness);
    for (; this.#opened <= newest; this.#opened++) {
      await this.#recall(this.#opened);
      for (let group = 0; group < wanted + spare; group++) this.#open(this.#opened, group);
    }
    this.#reading ??= this.#read();
  }

  /** The samples of a step, once there are enough. Steps are taken in order. */
  async take(step: number, timeoutMs: number): Promise<StepSamples> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#failure) throw this.#failure.error;
      this.#redoStale(step);
      const found = select(this.#candidates(step), this.#options);
      if (found && "refill" in found) await this.#refill(step, found.refill);
      else if (found) return this.#remove(found);
      else await this.#wait(woken, step, timeoutMs, until - performance.now());
    }
  }

  /** Where the run is in its data once what was taken is trained on. */
  position(): DataPosition {
    return { opened: this.#opened, open: [...this.#groups.keys(), ...this.#left] };
  }

  /** Seconds that rollout workers had nothing to do since this was last asked, averaged over them. */
  idleSeconds(): number {
    return this.#clock.take();
  }

  async close(): Promise<void> {
    this.#reader.abort();
    await this.#reading?.catch(() => {});
  }

  #candidates(step: number): Group[] {
    const open = [...this.#groups.values()];
    return this.#options.ordered ? open.filter((group) => group.step === step) : open;
  }

  #remove({ trained, dropped, cut }: Selection): StepSamples {
    for (const group of cut) {
      group.cut.abort(new ActorsError("CANCELLED", "the step had enough groups without it"));
      this.#clock.add(-group.missing().length);
    }
    const gone = [...dropped, ...cut.map((group) => ({ group, reason: "cut: others of its step were ready first" }))];
    const failed = [...trained, ...gone.map(({ group }) => group)].flatMap((group) => group.failures());
    for (const group of [...trained, ...gone.map(({ group }) => group)]) this.#groups.delete(group.id);
    return {
      groups: trained.map((group) => group.entries()),
      dropped: [...failed, ...gone.flatMap(({ group, reason }) => group.unused().map((key) => ({ key, reason })))],
      failures: failed.map(({ reason }) => reason),
      droppedGroups: dropped.length,
      cutGroups: cut.length,
    };
  }

  /** Reads what an earlier start stored of a step's episodes. */
  async #recall(step: number): Promise<void> {
    if (this.#recalled.has(step)) return;
    this.#recalled.add(step);
    for (const bytes of await this.#store.read(step)) this.#keep(entryOf(bytes));
  }

  #keep(entry: Entry): void {
    const { key, finish, turns } = entry.trajectory;
    if (finish === "") {
      if (turns.length <= (this.#progress.get(key)?.trajectory.turns.length ?? 0)) return;
      this.#progress.set(key, entry);
      const ask = this.#asks.get(key);
      if (ask) ask.progress = entry.bytes;
      return;
    }
    const id = positionId(entry.trajectory);
    const before = this.#kept.get(id);
    if (!before || before.trajectory.attempt < entry.trajectory.attempt) this.#kept.set(id, entry);
  }

  #open(step: number, number: number): void {
    const { samples } = this.#options;
    const group = new Group(step, number, samples);
    this.#groups.set(group.id, group);
    this.#clock.add(samples);
    for (let sample = 0; sample < samples; sample++) {
      const id = positionId({ step, group: number, sample });
      const entry = this.#kept.get(id);
      this.#kept.delete(id);
      if (entry && group.place(entry)) this.#clock.add(-1);
    }
    if (group.settled) this.#wake();
    else this.#requestReady(group);
  }

  #requestReady(group: Group): void {
    const ready = group.ready(this.#options.roots);
    const asks = ready.map((sample) => this.#ask(group, sample, 0));
    if (asks.length > 0) this.#request(group, asks);
  }

  /** @throws when the step has had as many batches as dynamic sampling may ask for */
  async #refill(step: number, count: number): Promise<void> {
    const { wanted, spare, dynamic } = this.#options;
    if (this.#refills.step !== step) this.#refills = { step, groups: 0 };
    const asked = this.#refills.groups;
    if (dynamic && asked + count > (dynamic.maxBatches - 1) * wanted) {
      const scores_GS = this.#candidates(step).map(scoresOf);
      throw exhausted(step, judgeGroups(scores_GS, wanted, dynamic), wanted, dynamic);
    }
    this.#refills.groups += count;
    await this.#recall(step);
    for (let i = 0; i < count; i++) this.#open(step, wanted + spare + asked + i);
  }

  /** Tokens that would be older than the bound when this step trains on them. */
  #redoStale(step: number): void {
    const { firstVersion, maxStaleness, staleTokens, maxAttempts } = this.#options;
    if (staleTokens === "mask") return;
    for (const group of this.#candidates(step)) {
      for (const { trajectory, oldest } of group.entries()) {
        if (oldest === undefined || firstVersion + step - oldest <= maxStaleness) continue;
        this.stale++;
        this.#clock.add(1);
        const { sample } = trajectory;
        const attempt = group.reopen(sample);
        if (attempt < maxAttempts) this.#request(group, [this.#ask(group, sample, attempt)]);
        else this.#fail(group, sample, `in ${attempt} attempts its tokens were older than ${maxStaleness} steps`);
      }
    }
  }

  #ask(of: Group, sample: number, attempt: number): Ask {
    const at = { step: of.step, group: of.group, sample };
    const { run, roots, describe } = this.#options;
    const key = sampleKey(run, at, attempt);
    const described = describe(at);
    const root = sample < roots || attempt > 0 ? undefined : of.entry(sample % roots)?.trajectory;
    const progress = this.#progress.get(key)?.bytes ?? (root && branchOf(root, described.seed));
    const ask: Ask = { ...at, attempt, key, publish: true, ...(progress && { progress }), ...described };
    this.#asks.set(key, ask);
    return ask;
  }

  #request(group: Group, asks: Ask[]): void {
    const { signal } = group.cut;
    this.#pool
      .play(asks, ({ sample }) => group.has(sample), signal)
      .finally(() => {
        for (const { key } of asks) {
          this.#asks.delete(key);
          this.#progress.delete(key);
        }
      })
      .then(
        (outcomes) => {
          for (const { key, status, reason } of outcomes) {
            const ask = asks.find((a) => a.key === key);
            if (ask && status === "failed") this.#fail(group, ask.sample, reason);
          }
        },
        (error: unknown) => {
          if (!signal.aborted) this.#abandon(error);
        },
      );
  }

  async #read(): Promise<void> {
    const signal = AbortSignal.any([this.#reader.signal, this.#options.signal]);
    const storing = new Set<Promise<void>>();
    try {
      for await (const delivery of this.#log.consume(signal, this.#options.line)) {
        const stored = this.#receive(delivery).catch((error: unknown) => this.#abandon(error));
        storing.add(stored);
        void stored.then(() => storing.delete(stored));
      }
    } catch (error) {
      this.#abandon(error);
    }
    await Promise.all(storing);
  }

  async #receive({ bytes, ack }: Delivery): Promise<void> {
    const entry = entryOf(bytes);
    const { step, group: number, sample, finish } = entry.trajectory;
    const group = this.#groups.get(`${step}/${number}`);
    if (group ? group.has(sample) : step < this.#opened) {
      this.duplicates++; // or of a group that the step could do without
      return ack();
    }
    await this.#store.store(step, bytes);
    ack();
    if (!group || finish === "") this.#keep(entry);
    else if (!this.#place(group, entry)) this.duplicates++;
  }

  #place(group: Group, entry: Entry): boolean {
    const placed = group.place(entry);
    if (placed) this.#filled(group);
    return placed;
  }

  #fail(group: Group, sample: number, reason: string): void {
    if (group.has(sample)) return;
    group.fail(sample, reason);
    this.#filled(group);
  }

  #filled(group: Group): void {
    this.#clock.add(-1);
    if (group.settled) this.#wake();
    else this.#requestReady(group);
  }

  #abandon(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  async #wait(woken: Promise<void>, step: number, timeoutMs: number, leftMs: number): Promise<void> {
    const { signal } = this.#options;
    try {
      await withDeadline(woken, Math.max(1, leftMs), `the trajectories of step ${step}`, signal);
    } catch (cause) {
      if (!(cause instanceof ActorsError) || cause.code !== "DEADLINE_EXCEEDED") throw cause;
      const missing = this.#candidates(step).flatMap((group) => group.missing());
      const named = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ` and ${missing.length - 3} more` : "");
      const what = `the trajectories of step ${step} took longer than ${timeoutMs} ms: ${named} did not come`;
      throw new ActorsError("DEADLINE_EXCEEDED", what, {
        cause,
        hint: "Raise trainer.step_timeout_seconds if episodes take that long.",
      });
    }
  }
}
