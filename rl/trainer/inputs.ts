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
import { checkServers } from "../policy/remote/dialects.js";
import { type EnvironmentRef, loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";
import { speaksOtherwise, speechOf } from "../tokenizers/speech.js";
import { scheduled, updatesAStep } from "./mini-batches.js";
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
  /** Folder of the model that is distilled; null: none. */
  teacher: string | null;
}

/**
 * Finds and loads what the configuration names; paths start from `baseDir`.
 * @throws ActorsError NOT_FOUND or INVALID_ARGUMENT naming what is missing
 */
export async function loadInputs(config: Config, baseDir: string): Promise<Inputs> {
  const baseUrl = pathToFileURL(`${resolve(baseDir)}/`).href;
  const { policy, critic } = config.trainer;
  const checkpoint = await checkpointAt(policy.model.path, baseDir, "trainer.policy.model.path");
  const named = parseEnvironmentRef(config.environment.env_class, baseUrl);
  const environment = { ...named, speech: speechOf(checkpoint, config) };
  const def = await loadEnvironment(environment);
  const { advantage_estimator, loss_reduction, policy_loss_type } = config.trainer.algorithm;
  const estimator = await advantages.load(advantage_estimator, baseUrl);
  const reduction = await reductions.load(loss_reduction, baseUrl);
  await policyLosses.load(policy_loss_type, baseUrl); // here, where a mistake can be told before anything starts
  await checkWarmStart(config, def);
  const criticCheckpoint = await checkpointAt(critic.model.path, baseDir, "trainer.critic.model.path");
  await checkServers(config);
  const teacher = await findTeacher(config, def, checkpoint, baseDir);
  const tasks = await openTasks(config, def, checkpoint, baseDir);
  const { trainer, ...pinned } = pinPaths(config, baseDir);
  const lossModule = isModulePath(policy_loss_type) ? new URL(policy_loss_type, baseUrl).href : null;
  return {
    ...{ environment, def, estimator, reduction, lossModule, tasks },
    config: { ...pinned, trainer: withSchedules({ ...trainer, max_training_steps: stepsOf(config, tasks) }) },
    checkpoint,
    criticCheckpoint,
    teacher,
  };
}

/** @throws ActorsError INVALID_ARGUMENT when it is not there, or cannot read what the policy says */
export async function findTeacher(
  config: Config,
  def: EnvironmentDef,
  checkpoint: string | null,
  baseDir: string,
): Promise<string | null> {
  const key = "trainer.algorithm.distillation.teacher";
  const teacher = await checkpointAt(config.trainer.algorithm.distillation.teacher, baseDir, key);
  if (teacher === null) return null;
  const size = def.tokenizer.vocabSize;
  const [its, ours] = [await shapeOf(config, size, teacher), await shapeOf(config, size, checkpoint)];
  const wrong = (what: string) => new ActorsError("INVALID_ARGUMENT", `${key}: ${teacher} ${what}`);
  if (its.vocabSize < size) throw wrong(`has a vocabulary of ${its.vocabSize}, and ${size} are spoken`);
  if (its.maxSeqLen < ours.maxSeqLen) throw wrong(`holds ${its.maxSeqLen} tokens, and the policy ${ours.maxSeqLen}`);
  if (speaksOtherwise(teacher, checkpoint)) throw wrong("has other tokens than the policy");
  return teacher;
}

function withSchedules(trainer: Config["trainer"]): Config["trainer"] {
  const { policy, critic, warm_start, max_training_steps: steps } = trainer;
  const updates = (size: number | null) => steps * updatesAStep({ trainer }, size);
  const policyUpdates = updates(trainer.policy_mini_batch_size);
  return {
    ...trainer,
    policy: { ...policy, optimizer_config: scheduled(policy.optimizer_config, policyUpdates) },
    critic: {
      ...critic,
      optimizer_config: scheduled(critic.optimizer_config, updates(trainer.critic_mini_batch_size)),
    },
    warm_start: { ...warm_start, optimizer_config: scheduled(warm_start.optimizer_config, warm_start.steps) },
  };
}

/** @throws ActorsError INVALID_ARGUMENT when there is nothing to start from */
export async function checkWarmStart({ trainer }: Config, def: EnvironmentDef): Promise<void> {
  if (trainer.warm_start.steps === 0) return;
  const hint = "Set it to 0, or give the environment an expert.";
  await checkDemonstrations(def, trainer.seed, "trainer.warm_start.steps:", hint);
}

export async function checkDemonstrations(def: EnvironmentDef, seed: number, key: string, hint: string): Promise<void> {
  try {
    await def.demonstration(def.trainTask(seed, 0), seededRandom(seed));
  } catch (cause) {
    const why = cause instanceof ActorsError ? cause.rawMessage : (cause as Error).message;
    throw new ActorsError("INVALID_ARGUMENT", `${key} ${def.name} demonstrates nothing: ${why}`, { cause, hint });
  }
}

/** So that a run's `config.yaml` means the same wherever it is read. */
export function pinPaths(config: Config, baseDir: string): Config {
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
        distillation: {
          ...algorithm.distillation,
          teacher: algorithm.distillation.teacher && at(algorithm.distillation.teacher),
        },
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
  const maxTokens = Math.min(config.trainer.max_prompt_length ?? room, room);
  return openSupply(config, def, { baseDir: resolve(baseDir), maxTokens });
}

export async function checkpointAt(path: string | null, baseDir: string, key: string): Promise<string | null> {
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
