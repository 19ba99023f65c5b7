import { dirname } from "node:path";
import type { Job, JobInput, JobResult } from "../../runtime/cli/job.js";
import { ActorsError } from "../../runtime/index.js";
import { checkPart, mergeConfig, resolveConfig } from "../config/load.js";
import type { Config, ConfigInput } from "../config/schema.js";
import { loadInputs } from "../trainer/inputs.js";
import type { TrainResult } from "../trainer/train.js";
import { watch } from "./watch.js";

/** A training, with settings that the user's go over. */
export interface Recipe {
  name: string;
  describe: string;
  settings: ConfigInput;
}

export type Given = Pick<JobInput, "config" | "configFile" | "seed">;

/** The recipe with the user's settings over it. @throws ActorsError INVALID_ARGUMENT, one sentence on what is wrong */
export function configure({ settings }: Pick<Recipe, "settings">, input: Given): Config {
  return resolveConfig(mergeConfig(settings, givenBy(input)), { file: input.configFile });
}

/** The user's own part; its mistakes have lines. */
function givenBy({ config, configFile, seed }: Given): unknown {
  checkPart(config, { file: configFile });
  return seed === null ? config : mergeConfig(config, { trainer: { seed } });
}

/** A resumed run has its own settings, and the user's over them. */
async function configOf(recipe: Recipe, input: JobInput): Promise<Config> {
  if (input.resume === null) return configure(recipe, input);
  const { checkResume } = await import("../trainer/resume.js");
  const { config, before, folder } = await checkResume(input.resume, input.runsDir, givenBy(input));
  if (before.recipe !== "sft") return config;
  throw new ActorsError("INVALID_ARGUMENT", `${folder.path} was begun by \`actors sft\``, {
    hint: "Go on with it by `actors sft --resume`.",
  });
}

/** Paths in a file start from its folder. */
export const baseDirOf = ({ configFile }: Pick<JobInput, "configFile">) => (configFile ? dirname(configFile) : ".");

export function trainingJob(recipe: Recipe): Job {
  return {
    name: recipe.name,
    describe: recipe.describe,
    resumes: true,

    async check(input) {
      const config = await configOf(recipe, input);
      if (input.resume === null) await loadInputs(config, baseDirOf(input));
    },

    async run(context): Promise<JobResult> {
      const config = await configOf(recipe, context);
      const { train } = await import("../trainer/train.js"); // not needed to check a configuration
      const result = await train({
        system: context.system,
        config,
        name: recipe.name,
        runsDir: context.runsDir,
        ...(context.resume === null ? { baseDir: baseDirOf(context) } : { resume: context.resume }),
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
    ...(interrupted ? ["resume      `actors up --resume latest`"] : []),
    "go on       `actors rollouts ls latest` lists the episodes, `actors rollouts show latest KEY` shows one",
  ];
}
