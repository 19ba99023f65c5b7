import { deriveSeed } from "../algorithms/seeds.js";
import { samplingAt } from "../rollout/sampling.js";
import type { GenerationOptions } from "./generation.js";
import { stalenessBound } from "./loop.js";
import type { OpenRun } from "./resume.js";

/** What a run asks its rollouts for. The same sample is the same task with the same dice, whenever it is asked for. */
export function generationOptions(
  { config, tasks, folder, signal }: Pick<OpenRun, "config" | "tasks" | "folder"> & { signal: AbortSignal },
  firstVersion: number,
): Omit<GenerationOptions, "line"> {
  const { trainer, generator } = config;
  const { type, max_sample_batches, min_replace_ratio } = trainer.algorithm.dynamic_sampling;
  return {
    run: folder.id,
    wanted: trainer.train_batch_size,
    samples: generator.n_samples_per_prompt,
    roots: generator.tree.roots ?? generator.n_samples_per_prompt,
    ordered: trainer.mode !== "async",
    spare: trainer.spare_prompts,
    maxStaleness: stalenessBound(config),
    staleTokens: trainer.stale_tokens,
    maxAttempts: generator.max_attempts,
    workers: generator.num_parallel_generation_workers,
    firstVersion,
    signal,
    dynamic: type && { type, maxBatches: max_sample_batches, minReplaceRatio: min_replace_ratio },
    describe: ({ step, group, sample }) => ({
      task: tasks.train(step, group),
      seed: deriveSeed(trainer.seed, step, group, sample),
      sampling: samplingAt(step, generator),
    }),
  };
}
