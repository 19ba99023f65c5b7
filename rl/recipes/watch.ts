import type { JobContext } from "../../runtime/cli/job.js";
import type { Config } from "../config/schema.js";
import type { TrainOptions } from "../trainer/train.js";

/** Shows a training in the live table and the log of the command line. */
export function watch(
  { progress, line }: Pick<JobContext, "progress" | "line">,
  config: Config,
): Required<Pick<TrainOptions, "line" | "onPhase" | "onStep">> {
  let steps = config.trainer.max_training_steps;
  let fields: Record<string, string | number> = {};
  let first = { at: 0, step: 0 };
  return {
    line,
    onPhase(phase, done, of, loss) {
      if (phase === "training") {
        first = { at: performance.now(), step: done };
        steps = of; // the data may have said so
      }
      const shown = loss === undefined ? fields : { loss: loss.toFixed(3) };
      progress({ step: done, steps: of, phase, fields: shown, etaSeconds: null });
    },
    onStep(m) {
      const done = m.step + 1;
      const perStep = (performance.now() - first.at) / 1000 / (done - first.step);
      fields = {
        reward: m.reward.toFixed(3),
        success: m.success.toFixed(3),
        "tokens/s": Math.round(m.tokensPerSecond),
        staleness: m.staleness.mean.toFixed(2),
        entropy: m.entropy.toFixed(3),
        "s/step": m.seconds.total.toFixed(2),
        "learner waited": m.seconds.wait.toFixed(2),
        "rollouts waited": m.seconds.idle.toFixed(2),
      };
      progress({ step: done, steps, phase: "training", fields, etaSeconds: Math.round(perStep * (steps - done)) });
    },
  };
}
