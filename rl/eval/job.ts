import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Job } from "../../runtime/cli/job.js";
import { ActorsError } from "../../runtime/index.js";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { Config } from "../config/schema.js";
import { baseDirOf, type Given } from "../recipes/job.js";
import { onDisk } from "../run/disk.js";
import { describeEvaluation } from "../trainer/evaluate.js";
import { loadInputs } from "../trainer/inputs.js";

/** A folder with a model, and the configuration of the run that it is of, where it is of one. @throws ActorsError NOT_FOUND */
export function findCheckpointOf(named: string, cwd: string): { folder: string; config: string | undefined } {
  for (const folder of [resolve(cwd, named), join(cwd, "runs", named)].flatMap((path) => [
    path,
    join(path, "checkpoint"),
  ])) {
    if (!existsSync(join(folder, "config.json"))) continue;
    const config = join(dirname(folder), "config.yaml");
    return { folder, config: existsSync(config) ? config : undefined };
  }
  throw new ActorsError("NOT_FOUND", `${named} is no checkpoint, and no run that has one`, {
    hint: "A run keeps its model in runs/NAME/checkpoint; a checkpoint has a config.json.",
  });
}

function configure(checkpoint: string, { config, configFile, seed }: Given): Config {
  const path = { trainer: { policy: { model: { path: checkpoint } }, ...(seed !== null && { seed }) } };
  return resolveConfig(mergeConfig(config, path), { file: configFile });
}

/** @param output JSON of the result is written there */
export function evalJob(checkpoint: string, output: string | undefined): Job {
  return {
    name: "eval",
    describe: "Plays the held-out tasks with a checkpoint.",

    async check(input) {
      await loadInputs(configure(checkpoint, input), baseDirOf(input));
    },

    async run(context) {
      const config = configure(checkpoint, context);
      const { evaluateCheckpoint } = await import("../trainer/evaluate-checkpoint.js");
      context.progress({ step: 0, steps: 1, phase: "evaluating", fields: {}, etaSeconds: null });
      const { system, signal, line } = context;
      const result = await evaluateCheckpoint({ system, config, baseDir: baseDirOf(context), signal, line });
      if (output !== undefined) {
        const written = { checkpoint, ...result, solvedByTask: Object.fromEntries(result.solvedByTask) };
        await onDisk(output, () => writeFileSync(output, `${JSON.stringify(written, null, 2)}\n`));
      }
      return { ok: true, summary: describeEvaluation(`of ${checkpoint}`, result, config) };
    },
  };
}
