import { dirname } from "node:path";
import type { Job, JobContext, JobResult } from "../../runtime/cli/job.js";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { Config, ConfigInput } from "../config/schema.js";
import { quickstart as environment } from "../environments/quickstart/index.js";
import { loadInputs } from "../trainer/inputs.js";
import type { TrainResult } from "../trainer/train.js";
import { watch } from "./watch.js";

/**
 * A transformer of some 100,000 parameters learns to mend a service's configuration: a warm start teaches it the commands of
 * its tools, reinforcement learning teaches it which file to read next, which one to edit, and when to stop.
 */
export const settings: ConfigInput = {
  recipe: "quickstart",
  trainer: {
    mode: "async",
    max_staleness_steps: 1,
    seed: 0,
    max_training_steps: 40,
    train_batch_size: 24,
    policy_mini_batch_size: 8,
    learner_ranks: 2,
    policy: {
      model: { dim: 64, layers: 3, heads: 4, kv_heads: 4, head_dim: 16, ffn_dim: 160, max_seq_len: 192 },
      optimizer_config: { lr: 1e-3, adam_betas: [0.9, 0.95], num_warmup_steps: 5 },
    },
    algorithm: {
      advantage_estimator: "grpo",
      eps_clip_low: 0.2,
      eps_clip_high: 0.28,
      use_entropy_loss: true,
      entropy_loss_coef: 0.01,
    },
    warm_start: { steps: 250, batch_size: 64, optimizer_config: { lr: 3e-3, num_warmup_steps: 20 } },
  },
  generator: { n_samples_per_prompt: 8, sampling_params: { temperature: 1 }, eval_sampling_params: { temperature: 0 } },
  environment: { env_class: environment.name, sandboxes: 32 },
};

/** The recipe with the user's settings over it. @throws ActorsError INVALID_ARGUMENT, one sentence on what is wrong */
export function configure({ config, configFile, seed }: Pick<JobContext, "config" | "configFile" | "seed">): Config {
  resolveConfig(config, { file: configFile }); // the user's own part first: its mistakes have lines
  const seeded = seed === null ? {} : { trainer: { seed } };
  return resolveConfig(mergeConfig(mergeConfig(settings, config), seeded));
}

/** Paths in a file start from its folder. */
const baseDir = ({ configFile }: Pick<JobContext, "configFile">) => (configFile ? dirname(configFile) : ".");

export const quickstart: Job = {
  name: "quickstart",
  describe: "A small transformer learns a multi-turn task with real tools, in about two minutes on two cores.",

  async check(input) {
    await loadInputs(configure(input), baseDir(input));
  },

  async run(context): Promise<JobResult> {
    const config = configure(context);
    const watcher = watch(context, config);
    const { train } = await import("../trainer/train.js"); // not needed to check a configuration
    const result = await train({
      system: context.system,
      config,
      name: "quickstart",
      runsDir: context.runsDir,
      baseDir: baseDir(context),
      signal: context.signal,
      ...watcher,
    });
    return { ok: !result.interrupted, summary: summarise(result) };
  },
};

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
