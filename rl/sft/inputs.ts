import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ActorsError } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";
import { type Place, type Supply, stepsOf, supplyOf } from "../data/supply.js";
import type { EnvironmentDef } from "../environments/environment.js";
import type { Example } from "../learner/example.js";
import { loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";
import { speechOf } from "../tokenizers/speech.js";
import { checkDemonstrations, checkpointAt, pinPaths } from "../trainer/inputs.js";
import { scheduled } from "../trainer/mini-batches.js";
import { freshModel, shapeOf } from "../trainer/shape.js";
import { demonstrations, type Examples } from "../trainer/supervised.js";
import { exampleReader } from "./rows.js";

export interface SftInputs {
  config: Config;
  checkpoint: string | null;
  def: EnvironmentDef;
  tasks: Supply<Example>;
  examples: Examples;
}

/**
 * What a supervised training names outside of itself. Without `data.train_data` it learns from the environment's demonstrations.
 * @throws ActorsError NOT_FOUND or INVALID_ARGUMENT naming what is missing
 */
export async function loadSftInputs(config: Config, baseDir: string): Promise<SftInputs> {
  const { trainer, data, environment } = config;
  const checkpoint = await checkpointAt(trainer.policy.model.path, baseDir, "trainer.policy.model.path");
  const named = parseEnvironmentRef(environment.env_class, pathToFileURL(`${resolve(baseDir)}/`).href);
  const def = await loadEnvironment({ ...named, speech: speechOf(checkpoint, config) });
  const shape = await shapeOf(config, def.tokenizer.vocabSize, checkpoint);
  if (shape.vocabSize < def.tokenizer.vocabSize) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `trainer.policy.model.path: ${checkpoint} has a vocabulary of ${shape.vocabSize}, and ${def.tokenizer.vocabSize} are spoken`,
    );
  }
  const fromRows = data.train_data.length > 0;
  if (!fromRows) await checkDemonstrations(def, trainer.seed, "data.train_data: it is empty, and", namesRows);
  const tasks = await supplyOf(config, exampleReader(config, def), limitsOf(shape.maxSeqLen, baseDir), {
    train: (_: Place) => {
      throw new ActorsError("INTERNAL", "demonstrations have no rows");
    },
    heldOut: () => [],
  });
  const { seed, train_batch_size: size } = trainer;
  const demonstrate = demonstrations(def, seed, size, shape.maxSeqLen);
  if (!fromRows) await demonstrate(0); // too long ones are told now, as rows are
  const pinned = pinPaths(config, baseDir);
  const steps = stepsOf(config, tasks);
  const policy = { ...pinned.trainer.policy, optimizer_config: scheduled(trainer.policy.optimizer_config, steps) };
  return {
    ...{ checkpoint, def, tasks },
    config: { ...pinned, trainer: { ...pinned.trainer, policy, max_training_steps: steps } },
    examples: fromRows ? async (update) => Array.from({ length: size }, (_, i) => tasks.train(update, i)) : demonstrate,
  };
}

const namesRows = "Name files of rows with messages, or with prompt and response.";
const limitsOf = (maxTokens: number, baseDir: string) => ({ maxTokens, baseDir: resolve(baseDir) });

/** What its learners begin with. */
export const modelOf = ({ checkpoint, config, def }: SftInputs) =>
  checkpoint ?? freshModel(config, def.tokenizer.vocabSize);
