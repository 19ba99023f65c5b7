import { ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import {
  bySource,
  type DataReport,
  describeReport,
  fingerprint,
  type Item,
  loadRows,
  type RowLimits,
} from "./dataset.js";
import { competence, drawEasy, Epochs, Mixture } from "./order.js";

/** Where the trainer's tasks come from. The same place gives the same task, on any machine and after any restart. */
export interface TaskSupply {
  /** `group` beyond `train_batch_size`: one more prompt of that step, as dynamic sampling asks for. */
  train(step: number, group: number): unknown;
  readonly heldOut: readonly HeldOut[];
  /** Of the data; null where the environment makes its tasks. */
  readonly fingerprint: string | null;
  /** Train rows that an epoch takes; null where there is no end of them. */
  readonly epoch: number | null;
  readonly reports: { train: DataReport | null; val: DataReport | null };
  /** What someone about to launch should read. */
  readonly lines: readonly string[];
}

export interface HeldOut {
  task: unknown;
  /** Its `data_source`; the environment's name where that makes its tasks. */
  source: string;
}

/** Apart from the seeds of the tasks that each step begins with. */
const refills = 0xd4b0;

/** @throws ActorsError INVALID_ARGUMENT on data that cannot be used; see `loadRows` */
export async function openSupply(
  config: Config,
  def: EnvironmentDef,
  limits: Pick<RowLimits, "baseDir" | "maxPromptTokens">,
): Promise<TaskSupply> {
  const { data } = config;
  const train =
    data.train_data.length > 0 ? await loadRows("train_data", config, def, { ...limits, splits: ["train"] }) : null;
  const val =
    data.val_data.length > 0
      ? await loadRows("val_data", config, def, { ...limits, splits: ["validation", "test"] })
      : null;
  const lines = [
    ...(train ? describeReport("train_data", train.report) : []),
    ...(val ? describeReport("val_data", val.report) : []),
    ...(train && val ? overlap(train.items, val.items) : []),
  ];
  return {
    train: placed(config, train ? orderOf(train.items, config) : ({ seed, index }) => def.trainTask(seed, index)),
    heldOut: val?.items ?? heldOutOf(def),
    fingerprint: train && fingerprint(train.items),
    epoch: train ? train.items.filter(({ source }) => data.mixture?.[source] !== 0).length : null,
    reports: { train: train?.report ?? null, val: val?.report ?? null },
    lines,
  };
}

const heldOutOf = (def: EnvironmentDef): HeldOut[] => def.heldOutTasks().map((task) => ({ task, source: def.name }));

interface Place {
  seed: number;
  step: number;
  /** Among all tasks of this seed. */
  index: number;
}

/** Turns the trainer's place into a seed and an index. */
function placed({ trainer }: Config, taskAt: (place: Place) => unknown): TaskSupply["train"] {
  const { seed, train_batch_size: size, algorithm } = trainer;
  const most = algorithm.dynamic_sampling.max_sample_batches;
  return (step, group) =>
    group < size
      ? taskAt({ seed, step, index: step * size + group })
      : taskAt({ seed: deriveSeed(seed, refills), step, index: step * size * most + group });
}

function orderOf(items: readonly Item[], { data }: Config): (place: Place) => unknown {
  const sources = data.mixture ? bySource(items, data.mixture) : [{ items: [...items], weight: 1 }];
  const mixture = sources.length > 1 ? new Mixture(sources.map(({ weight }) => weight)) : null;
  const { by, start, steps } = data.curriculum;
  const orders = sources.map(({ items }, source) => {
    const epochs = new Epochs(items.length, data.shuffle);
    const fromEasy = items.toSorted((a, b) => a.difficulty - b.difficulty);
    return ({ seed, step }: Place, rank: number) => {
      const open = by === null ? 1 : competence(step, { start, steps });
      if (open === 1) return items[epochs.at(seed, rank)]!;
      return fromEasy[drawEasy(Math.ceil(open * items.length), seed, source, rank)]!;
    };
  });
  return (place) => {
    const { source, rank } = mixture?.at(place.seed, place.index) ?? { source: 0, rank: place.index };
    return orders[source]!(place, rank).task;
  };
}

/** What is trained on says nothing when it is tested. */
function overlap(train: readonly Item[], val: readonly Item[]): string[] {
  const seen = new Set(train.map(({ id }) => id));
  const both = val.filter(({ id }) => seen.has(id)).length;
  return both === 0
    ? []
    : [`${both} of ${val.length} rows of data.val_data are in data.train_data too: they measure memory`];
}

/** The steps of `trainer.epochs`; whatever is left of an epoch begins the next. @throws ActorsError INVALID_ARGUMENT */
export function stepsOf({ trainer }: Config, { epoch }: Pick<TaskSupply, "epoch">): number {
  if (trainer.epochs === null) return trainer.max_training_steps;
  if (epoch === null) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      "trainer.epochs needs data.train_data: the environment's own tasks have no end",
      {
        hint: "Set trainer.max_training_steps instead.",
      },
    );
  }
  return Math.ceil((trainer.epochs * epoch) / trainer.train_batch_size);
}
