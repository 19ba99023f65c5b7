import { dirname } from "node:path";
import type { Job, JobInput, JobResult } from "../../runtime/cli/job.js";
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
export function configure(input: Pick<JobInput, "config" | "configFile" | "seed">): Config {
  return resolveConfig(mergeConfig(settings, givenBy(input)));
}

/** The user's own part; its mistakes have lines. */
function givenBy({ config, configFile, seed }: Pick<JobInput, "config" | "configFile" | "seed">): unknown {
  resolveConfig(config, { file: configFile });
  return seed === null ? config : mergeConfig(config, { trainer: { seed } });
}

/** Paths in a file start from its folder. */
const baseDir = ({ configFile }: JobInput) => (configFile ? dirname(configFile) : undefined);

/** A resumed run has its own settings, and the user's over them. */
async function configOf(input: JobInput): Promise<Config> {
  if (input.resume === null) return configure(input);
  const { checkResume } = await import("../trainer/resume.js");
  return (await checkResume(input.resume, input.runsDir, givenBy(input))).config;
}

export const quickstart: Job = {
  name: "quickstart",
  describe: "A small transformer learns a multi-turn task with real tools, in about two minutes on two cores.",
  resumes: true,

  async check(input) {
    const config = await configOf(input);
    if (input.resume === null) await loadInputs(config, baseDir(input) ?? ".");
  },

  async run(context): Promise<JobResult> {
    const config = await configOf(context);
    const watcher = watch(context, config);
    const { train } = await import("../trainer/train.js"); // not needed to check a configuration
    const from = baseDir(context);
    const result = await train({
      system: context.system,
      config,
      name: "quickstart",
      runsDir: context.runsDir,
      signal: context.signal,
      ...(from !== undefined && { baseDir: from }),
      ...(context.resume !== null && { resume: context.resume }),
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
    ...(interrupted ? ["resume      `actors up --resume latest`"] : []),
    "go on       `actors rollouts ls latest` lists the episodes, `actors rollouts show latest KEY` shows one",
  ];
}
