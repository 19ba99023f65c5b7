import type { Job } from "../../runtime/cli/job.js";
import { ActorsError } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";
import { baseDirOf, configure, type Given } from "../recipes/job.js";
import { loadSftInputs } from "./inputs.js";
import type { SftResult } from "./run.js";

export const sftRecipe = { name: "sft", settings: { recipe: "sft" } };

async function configOf(input: Given & { resume: string | null; runsDir: string }): Promise<Config> {
  if (input.resume === null) return configure(sftRecipe, input);
  const { checkResume } = await import("../trainer/resume.js");
  const { config, before, folder } = await checkResume(input.resume, input.runsDir, input.config);
  if (before.recipe === "sft") return config;
  throw new ActorsError("INVALID_ARGUMENT", `${folder.path} was not begun by \`actors sft\``, {
    hint: "Go on with it by `actors up --resume`.",
  });
}

/** Supervised fine-tuning on chat data or demonstrations. */
export const sft: Job = {
  name: "sft",
  describe: "Learns conversations by heart (data.train_data, or the environment's demonstrations).",
  resumes: true,

  async check(input) {
    const config = await configOf(input);
    if (input.resume === null) await loadSftInputs(config, baseDirOf(input));
  },

  async run(context) {
    const { system, signal, runsDir, resume, line, progress } = context;
    const config = await configOf(context);
    const { fineTune } = await import("./run.js"); // not needed to check a configuration
    let fields: Record<string, string | number> = {};
    let steps = config.trainer.max_training_steps;
    let first = { at: 0, step: 0 };
    const result = await fineTune({
      ...{ system, config, name: "sft", runsDir, signal, line },
      ...(resume === null ? { baseDir: baseDirOf(context) } : { resume }),
      onPhase(phase, done, of) {
        if (phase === "training") {
          first = { at: performance.now(), step: done };
          steps = of;
        }
        progress({ step: done, steps: of, phase, fields, etaSeconds: null });
      },
      onStep({ step, loss, lr, tokensPerSecond, epoch }) {
        const done = step + 1;
        const perStep = (performance.now() - first.at) / 1000 / (done - first.step);
        fields = {
          ...{ loss: loss.toFixed(4), lr: lr.toExponential(2), "tokens/s": Math.round(tokensPerSecond) },
          ...(epoch !== null && { epoch: epoch.toFixed(2) }),
        };
        progress({ step: done, steps, phase: "training", fields, etaSeconds: Math.round(perStep * (steps - done)) });
      },
    });
    return { ok: !result.interrupted, summary: summarise(result) };
  },
};

function summarise({ heldOut, folder, checkpoint, interrupted, steps, wallSeconds, tokens }: SftResult): string[] {
  const shown = (loss: number | null) => (loss === null ? "not measured" : loss.toFixed(4));
  return [
    interrupted
      ? `interrupted after ${steps} steps`
      : `held-out loss ${shown(heldOut.before)} before, ${shown(heldOut.after)} after ${steps} steps and ${tokens} tokens, in ${Math.round(wallSeconds)} s`,
    `run         ${folder}`,
    ...(checkpoint === null ? [] : [`checkpoint  ${checkpoint}`]),
    interrupted
      ? "resume      `actors sft --resume latest`"
      : "go on       `actors up -f FILE trainer.policy.model.path=CHECKPOINT`",
  ];
}
