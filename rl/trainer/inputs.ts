import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ActorsError } from "../../runtime/index.js";
import { type AdvantageEstimator, advantages } from "../algorithms/advantages.js";
import { policyLosses } from "../algorithms/policy-losses.js";
import { type Reduction, reductions } from "../algorithms/reductions.js";
import { isModulePath } from "../algorithms/registry.js";
import type { Config } from "../config/schema.js";
import { openSupply, stepsOf, type TaskSupply } from "../data/supply.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { seededRandom } from "../environments/random.js";
import { type EnvironmentRef, loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";
import { shapeOf } from "./shape.js";

/** What a configuration names outside of itself. */
export interface Inputs {
  environment: EnvironmentRef;
  def: EnvironmentDef;
  estimator: AdvantageEstimator;
  reduction: Reduction;
  /** File URL of the policy loss that is named by path; null: one of the native learner's. */
  lossModule: string | null;
  tasks: TaskSupply;
  /** As it was given, with whole paths and the steps that `trainer.epochs` makes of the data. */
  config: Config;
  /** Folder of the checkpoint to start from; null: a fresh model. */
  checkpoint: string | null;
  /** The same for the critic; null: the policy as it is before the first step. */
  criticCheckpoint: string | null;
}

/**
 * Finds and loads what the configuration names; paths start from `baseDir`.
 * @throws ActorsError NOT_FOUND or INVALID_ARGUMENT naming what is missing
 */
export async function loadInputs(config: Config, baseDir: string): Promise<Inputs> {
  const baseUrl = pathToFileURL(`${resolve(baseDir)}/`).href;
  const environment = parseEnvironmentRef(config.environment.env_class, baseUrl);
  const def = await loadEnvironment(environment);
  const { advantage_estimator, loss_reduction, policy_loss_type } = config.trainer.algorithm;
  const estimator = await advantages.load(advantage_estimator, baseUrl);
  const reduction = await reductions.load(loss_reduction, baseUrl);
  await policyLosses.load(policy_loss_type, baseUrl); // here, where a mistake can be told before anything starts
  await checkWarmStart(config, def);
  const { policy, critic } = config.trainer;
  const checkpoint = await checkpointAt(policy.model.path, baseDir, "trainer.policy.model.path");
  const criticCheckpoint = await checkpointAt(critic.model.path, baseDir, "trainer.critic.model.path");
  const tasks = await openTasks(config, def, checkpoint, baseDir);
  const pinned = pinPaths(config, baseDir);
  const trainer = { ...pinned.trainer, max_training_steps: stepsOf(config, tasks) };
  const lossModule = isModulePath(policy_loss_type) ? new URL(policy_loss_type, baseUrl).href : null;
  return {
    ...{ environment, def, estimator, reduction, lossModule, tasks },
    config: { ...pinned, trainer },
    checkpoint,
    criticCheckpoint,
  };
}

/** @throws ActorsError INVALID_ARGUMENT when there is nothing to start from */
export async function checkWarmStart({ trainer }: Config, def: EnvironmentDef): Promise<void> {
  if (trainer.warm_start.steps === 0) return;
  try {
    await def.demonstration(def.trainTask(trainer.seed, 0), seededRandom(trainer.seed));
  } catch (cause) {
    const why = cause instanceof ActorsError ? cause.rawMessage : (cause as Error).message;
    throw new ActorsError("INVALID_ARGUMENT", `trainer.warm_start.steps: ${def.name} demonstrates nothing: ${why}`, {
      cause,
      hint: "Set it to 0, or give the environment an expert.",
    });
  }
}

/** So that a run's `config.yaml` means the same wherever it is read. */
function pinPaths(config: Config, baseDir: string): Config {
  const { trainer, data, environment } = config;
  const { policy, critic, algorithm } = trainer;
  const at = (path: string) => resolve(baseDir, path);
  const module = (name: string) => (isModulePath(name) ? at(name) : name);
  const pinned = <M extends { path: string | null }>(model: M): M => ({ ...model, path: model.path && at(model.path) });
  return {
    ...config,
    data: { ...data, train_data: data.train_data.map(at), val_data: data.val_data.map(at) },
    environment: {
      ...environment,
      env_class: environment.env_class.startsWith(".") ? at(environment.env_class) : environment.env_class,
    },
    trainer: {
      ...trainer,
      policy: { ...policy, model: pinned(policy.model) },
      critic: { ...critic, model: pinned(critic.model) },
      algorithm: {
        ...algorithm,
        advantage_estimator: module(algorithm.advantage_estimator),
        policy_loss_type: module(algorithm.policy_loss_type),
        loss_reduction: module(algorithm.loss_reduction),
      },
    },
  };
}

/** @throws ActorsError INVALID_ARGUMENT when it is not there, or is none */
export function findCheckpoint(config: Config, baseDir: string): Promise<string | null> {
  return checkpointAt(config.trainer.policy.model.path, baseDir, "trainer.policy.model.path");
}

/** What the model has room for bounds the prompts. */
export async function openTasks(
  config: Config,
  def: EnvironmentDef,
  checkpoint: string | null,
  baseDir: string,
): Promise<TaskSupply> {
  const shape = await shapeOf(config, def.tokenizer.vocabSize, checkpoint);
  const room = shape.maxSeqLen - (config.generator.max_generate_length ?? def.maxActionTokens);
  const maxPromptTokens = Math.min(config.trainer.max_prompt_length ?? room, room);
  return openSupply(config, def, { baseDir: resolve(baseDir), maxPromptTokens });
}

async function checkpointAt(path: string | null, baseDir: string, key: string): Promise<string | null> {
  if (path === null) return null;
  const folder = resolve(baseDir, path);
  for (const name of ["config.json", "model.safetensors"]) {
    try {
      await access(join(folder, name), constants.R_OK).catch((error: unknown) => {
        if (name === "config.json") throw error;
        return access(join(folder, `${name}.index.json`), constants.R_OK).catch(() => Promise.reject(error)); // in shards
      });
    } catch (cause) {
      const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
      throw new ActorsError(
        "INVALID_ARGUMENT",
        `${key}: ${folder} is no checkpoint: ${name} ${missing ? "is not there" : "cannot be read"}`,
        { cause, hint: "Name the checkpoint folder of a run, or one that transformers saved." },
      );
    }
  }
  return folder;
}
