import { dirname } from "node:path";
import type { Job, JobContext, JobResult } from "../../runtime/cli/job.js";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { Config, ConfigInput } from "../config/schema.js";
import { loadInputs } from "../trainer/inputs.js";
import type { TrainResult } from "../trainer/train.js";
import { watch } from "./watch.js";

export type JobInput = Pick<JobContext, "config" | "configFile" | "seed">;

/** A training, with settings that the user's go over. */
export interface Recipe {
  name: string;
  describe: string;
  settings: ConfigInput;
}

/** The recipe with the user's settings over it. @throws ActorsError INVALID_ARGUMENT, one sentence on what is wrong */
export function configure({ settings }: Pick<Recipe, "settings">, { config, configFile, seed }: JobInput): Config {
  resolveConfig(config, { file: configFile }); // the user's own part first: its mistakes have lines
  const seeded = seed === null ? {} : { trainer: { seed } };
  return resolveConfig(mergeConfig(mergeConfig(settings, config), seeded));
}

/** Paths in a file start from its folder. */
export const baseDirOf = ({ configFile }: Pick<JobInput, "configFile">) => (configFile ? dirname(configFile) : ".");

export function trainingJob(recipe: Recipe): Job {
  return {
    name: recipe.name,
    describe: recipe.describe,

    async check(input) {
      await loadInputs(configure(recipe, input), baseDirOf(input));
    },

    async run(context): Promise<JobResult> {
      const config = configure(recipe, context);
      const { train } = await import("../trainer/train.js"); // not needed to check a configuration
      const result = await train({
        system: context.system,
        config,
        name: recipe.name,
        runsDir: context.runsDir,
        baseDir: baseDirOf(context),
        signal: context.signal,
        ...watch(context, config),
      });
      return { ok: !result.interrupted, summary: summarise(result) };
    },
  };
}

function summarise({ heldOut, folder, checkpoint, interrupted, steps, wallSeconds, episodes }: TrainResult): string[] {
  const shown = (success: number | null) => (success === null ? "not measured" : success.toFixed(3));
  return [
    interrupted
      ? `interrupted after ${steps} steps`
      : `held-out success ${shown(heldOut.before)} before, ${shown(heldOut.after)} after ${steps} steps and ${episodes} episodes, in ${Math.round(wallSeconds)} s`,
    `run         ${folder}`,
    ...(checkpoint === null ? [] : [`checkpoint  ${checkpoint}`]),
    "go on       `actors rollouts ls latest` lists the episodes, `actors rollouts show latest KEY` shows one",
  ];
}
