import type { ModelConfig } from "../../native/types.js";
import { duration, number } from "../../runtime/cli/text.js";
import type { Config } from "../config/schema.js";
import { loadSftInputs } from "../sft/inputs.js";
import { shapeOf } from "../trainer/shape.js";
import { type Bytes, describeBytes, gigabytes, learnerBytes, parametersOf, sumOf } from "./memory.js";
import { measureRates, updateSeconds } from "./time.js";

/** What `actors sft` would do. */
export interface SftPlan {
  config: Config;
  shape: ModelConfig;
  /** What was read, a line a file. */
  data: readonly string[];
  /** Rows that an epoch takes; null: the environment demonstrates. */
  rows: number | null;
  heldOut: number;
  /** Of the first step: tokens of a conversation, and those of them that are learned. */
  tokens: { mean: number; learned: number };
  /** Of a learner rank. */
  memory: Bytes;
  /** Seconds of a step; null: it was not asked for, or the native module is not built. */
  step: number | null;
}

/** @throws ActorsError naming the first thing that is missing or wrong */
export async function planSft(given: Config, baseDir: string, time: boolean): Promise<SftPlan> {
  const { config, checkpoint, def, tasks, examples } = await loadSftInputs(given, baseDir);
  const shape = await shapeOf(config, def.tokenizer.vocabSize, checkpoint);
  const first = config.trainer.max_training_steps > 0 ? await examples(0) : [];
  const mean = (of: (example: (typeof first)[number]) => number) =>
    first.reduce((sum, example) => sum + of(example), 0) / Math.max(1, first.length);
  const tokens = {
    mean: mean(({ tokens_T }) => tokens_T.length),
    learned: mean(({ lossMask_T }) => lossMask_T.reduce((sum, each) => sum + each, 0)),
  };
  const rates = time ? await measureRates(shape, def).catch(() => null) : null;
  const { learner_ranks: ranks, train_batch_size: size } = config.trainer;
  return {
    ...{ config, shape, data: tasks.lines, rows: tasks.epoch, heldOut: tasks.heldOut.length, tokens },
    memory: learnerBytes(shape, config.trainer, ranks),
    step: rates && updateSeconds(config, shape, tokens.mean * size, tokens.mean, rates),
  };
}

export function sftRows({ config, shape, data, rows, heldOut, tokens, memory, step }: SftPlan): [string, string][] {
  const { trainer } = config;
  const from = trainer.policy.model.path ?? "fresh";
  const steps = trainer.max_training_steps;
  const epochs = rows === null ? "" : `, ${number((steps * trainer.train_batch_size) / Math.max(1, rows))} epochs`;
  return [
    ...data.map((line): [string, string] => ["data", line]),
    [
      "model",
      `${number(parametersOf(shape))} parameters, ${shape.layers} layers of ${shape.dim}, ${number(shape.maxSeqLen)} tokens, ${from}`,
    ],
    ["step", `${trainer.train_batch_size} conversations, ${trainer.learner_ranks} ranks, ${steps} steps${epochs}`],
    ["row", `${number(Math.round(tokens.mean))} tokens, ${number(Math.round(tokens.learned))} of them learned`],
    ["evaluation", heldOut === 0 ? "none" : `loss on ${heldOut} rows`],
    ["memory", `a learner rank ${gigabytes(sumOf(memory))} (${describeBytes(memory)})`],
    ["time", step === null ? "not measured" : `at least ${number(step)} s a step, ${duration(step * steps)} in all`],
  ];
}
