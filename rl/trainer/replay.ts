import { ActorsError } from "../../runtime/index.js";
import type { WeightsRef } from "../policy/weights.js";
import type { EpisodeStore } from "../run/episodes.js";
import type { StepRecord } from "../run/ledger.js";
import { shortKey } from "../trajectories/trajectory.js";
import { type Entry, entryOf } from "./groups.js";
import { Clock, type LearnContext, learnFrom } from "./loop.js";
import type { StepMetrics } from "./report.js";

/**
 * Trains the steps that the ledger has after the state the learner is at, on the episodes they were trained on the first time: the
 * weights come out the same. Returns those of the last step.
 * @param onStep gets the metrics of each
 * @throws ActorsError UNAVAILABLE naming an episode that is no longer stored
 */
export async function replaySteps(
  c: LearnContext,
  store: EpisodeStore,
  steps: readonly StepRecord[],
  onStep: (metrics: StepMetrics) => Promise<void>,
): Promise<WeightsRef | null> {
  let weights: WeightsRef | null = null;
  for (const record of steps) {
    c.signal.throwIfAborted();
    const { step, version, oldest } = record;
    const clock = new Clock();
    const groups = await storedGroups(store, record);
    const publish = record === steps.at(-1);
    const learned = await learnFrom(c, step, groups, { trainedOn: version - 1, oldest, publish });
    if (learned.version !== version) {
      throw new ActorsError("INTERNAL", `step ${step} led to version ${version}, and now to ${learned.version}`);
    }
    clock.lap("update");
    await onStep(learned.metrics(clock, 0, record.counts));
    weights = learned.weights;
  }
  return weights;
}

async function storedGroups(store: EpisodeStore, { trained }: StepRecord): Promise<Entry[][]> {
  const askedBy = (key: string) => Number(key.slice(0, key.indexOf("/")));
  const entries = new Map<string, Entry>();
  for (const step of new Set(trained.map(askedBy))) {
    for (const bytes of await store.read(step)) {
      const entry = entryOf(bytes);
      if (entry.trajectory.finish !== "") entries.set(shortKey(entry.trajectory), entry);
    }
  }
  const groups = new Map<string, Entry[]>();
  for (const key of trained) {
    const entry = entries.get(key);
    if (!entry) {
      throw new ActorsError("UNAVAILABLE", `episode ${key}, which the ledger has as trained on, is no longer stored`, {
        hint: "Restore the run's folder `episodes` from a copy.",
        retryable: false,
      });
    }
    const id = key.split("/").slice(0, 2).join("/");
    groups.set(id, [...(groups.get(id) ?? []), entry]);
  }
  return [...groups.values()];
}
