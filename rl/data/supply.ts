import { ActorsError } from "../../runtime/index.js";
import { deriveSeed } from "../algorithms/seeds.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { dialogueOf } from "../tokenizers/dialogue.js";
import {
  bySource,
  type DataReport,
  describeReport,
  difficultyOf,
  fingerprint,
  type Item,
  idOf,
  loadRows,
  type ReadRow,
  type RowLimits,
} from "./dataset.js";
import { competence, drawEasy, Epochs, Mixture } from "./order.js";
import { parseRow } from "./row.js";

/** Where the trainer's tasks come from. The same place gives the same task, on any machine and after any restart. */
export interface Supply<T> {
  /** `group` beyond `train_batch_size`: one more prompt of that step, as dynamic sampling asks for. */
  train(step: number, group: number): T;
  readonly heldOut: readonly HeldOut<T>[];
  /** Of the data; null where the environment makes its tasks. */
  readonly fingerprint: string | null;
  /** Train rows that an epoch takes; null where there is no end of them. */
  readonly epoch: number | null;
  readonly reports: { train: DataReport | null; val: DataReport | null };
  /** What someone about to launch should read. */
  readonly lines: readonly string[];
}

export type TaskSupply = Supply<unknown>;

export interface HeldOut<T = unknown> {
  task: T;
  /** Its `data_source`; the environment's name where that makes its tasks. */
  source: string;
}

/** Apart from the seeds of the tasks that each step begins with. */
const refills = 0xd4b0;

/** Of prompts to play. @throws ActorsError INVALID_ARGUMENT on data that cannot be used; see `loadRows` */
export async function openSupply(
  config: Config,
  def: EnvironmentDef,
  limits: Pick<RowLimits, "baseDir" | "maxTokens">,
): Promise<TaskSupply> {
  const named = (["train_data", "val_data"] as const).find((key) => config.data[key].length > 0);
  if (named && !def.fromRow) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `data.${named}: environment ${def.name} makes its own tasks and takes no rows`,
      { hint: "An environment that takes them has a method fromRow." },
    );
  }
  return supplyOf(config, taskReader(config, def), limits, {
    train: ({ seed, index }) => def.trainTask(seed, index),
    heldOut: () => def.heldOutTasks().map((task) => ({ task, source: def.name })),
  });
}

/** The tasks that an environment makes of rows in SkyRL's format. */
function taskReader({ data }: Config, def: EnvironmentDef): (value: unknown) => ReadRow<unknown> {
  const dialogue = dialogueOf(def);
  return (value) => {
    const parsed = parseRow(value);
    if ("wrong" in parsed) return parsed;
    const { row } = parsed;
    try {
      const difficulty = difficultyOf(row.extra_info, data.curriculum.by);
      const { task, ...opening } = def.fromRow!(row);
      const id = idOf([row.prompt, row.reward_spec.ground_truth]);
      const item = { task, source: row.data_source, difficulty, id };
      return { item, environment: row.env_class, tokens: dialogue.open(opening).length };
    } catch (error) {
      return { wrong: error instanceof ActorsError ? error.rawMessage : (error as Error).message };
    }
  };
}

/** What there is where the configuration names no files. */
interface Own<T> {
  train(place: Place): T;
  heldOut(): HeldOut<T>[];
}

export async function supplyOf<T>(
  config: Config,
  readRow: (value: unknown) => ReadRow<T>,
  limits: Pick<RowLimits, "baseDir" | "maxTokens">,
  own: Own<T>,
): Promise<Supply<T>> {
  const { data } = config;
  const rowsOf = (key: "train_data" | "val_data", splits: string[]) =>
    data[key].length > 0 ? loadRows(key, config, readRow, { ...limits, splits }) : null;
  const train = await rowsOf("train_data", ["train"]);
  const val = await rowsOf("val_data", ["validation", "test"]);
  const lines = [
    ...(train ? describeReport("train_data", train.report) : []),
    ...(val ? describeReport("val_data", val.report) : []),
    ...(train && val ? overlap(train.items, val.items) : []),
  ];
  return {
    train: placed(config, train ? orderOf(train.items, config) : own.train),
    heldOut: val?.items ?? own.heldOut(),
    fingerprint: train && fingerprint(train.items),
    epoch: train ? train.items.filter(({ source }) => data.mixture?.[source] !== 0).length : null,
    reports: { train: train?.report ?? null, val: val?.report ?? null },
    lines,
  };
}

export interface Place {
  seed: number;
  step: number;
  /** Among all tasks of this seed. */
  index: number;
}

/** Turns the trainer's place into a seed and an index. */
function placed<T>({ trainer }: Config, taskAt: (place: Place) => T): Supply<T>["train"] {
  const { seed, train_batch_size: size, algorithm } = trainer;
  const most = algorithm.dynamic_sampling.max_sample_batches;
  return (step, group) =>
    group < size
      ? taskAt({ seed, step, index: step * size + group })
      : taskAt({ seed: deriveSeed(seed, refills), step, index: step * size * most + group });
}

function orderOf<T>(items: readonly Item<T>[], { data }: Config): (place: Place) => T {
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
export function stepsOf({ trainer }: Config, { epoch }: Pick<Supply<unknown>, "epoch">): number {
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
