import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ActorsError } from "../../runtime/index.js";
import { type AdvantageEstimator, advantages } from "../algorithms/advantages.js";
import { policyLosses } from "../algorithms/policy-losses.js";
import { type Reduction, reductions } from "../algorithms/reductions.js";
import { isModulePath } from "../algorithms/registry.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { type EnvironmentRef, loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";

/** What a configuration names outside of itself. */
export interface Inputs {
  environment: EnvironmentRef;
  def: EnvironmentDef;
  estimator: AdvantageEstimator;
  reduction: Reduction;
  /** File URL of the policy loss that is named by path; null: one of the native learner's. */
  lossModule: string | null;
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
  const lossModule = isModulePath(policy_loss_type) ? new URL(policy_loss_type, baseUrl).href : null;
  const { policy, critic } = config.trainer;
  const checkpoint = await checkpointAt(policy.model.path, baseUrl, "trainer.policy.model.path");
  const criticCheckpoint = await checkpointAt(critic.model.path, baseUrl, "trainer.critic.model.path");
  return { environment, def, estimator, reduction, lossModule, checkpoint, criticCheckpoint };
}

async function checkpointAt(path: string | null, baseUrl: string, key: string): Promise<string | null> {
  if (path === null) return null;
  const folder = resolve(fileURLToPath(baseUrl), path);
  for (const name of ["config.json", "model.safetensors"]) {
    try {
      await access(join(folder, name), constants.R_OK);
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
