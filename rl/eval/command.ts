import type { CommandFactory } from "../../runtime/cli/cli.js";
import type { UpOptions } from "../../runtime/cli/plan.js";
import { wholeNumber } from "../../runtime/cli/usage.js";

interface EvalOptions extends Pick<UpOptions, "file" | "nodes" | "seed" | "json" | "debug"> {
  output?: string;
}

/** `actors eval`: a checkpoint on the held-out tasks, on a cluster of its own, once it is `prepare`d. */
export const evalCommand =
  (prepare: () => Promise<void>): CommandFactory =>
  (command, done) =>
    command("eval")
      .description("Play the held-out tasks with a checkpoint: success and pass@k by data source, with 95 % intervals.")
      .argument("<CHECKPOINT>", "folder of a checkpoint, or a run: its name under runs/, `latest`, or its path")
      .argument("[KEY=VALUE...]", "settings over those of the file")
      .option("-f, --file <FILE>", "configuration (default: the run's own, else actors.yaml)")
      .option("-n, --nodes <N>", "node agents to start", wholeNumber("--nodes", 1, 1024))
      .option("--seed <N>", "seed of the dice", wholeNumber("--seed", 0, 0xffffffff))
      .option("-o, --output <FILE>", "write the result there, as JSON")
      .addHelpText(
        "after",
        `
With the run's own configuration the same tasks are played with the same dice as in the run, so that results can be paired.

Examples:
  $ actors eval latest
  $ actors eval latest generator.eval_n_samples_per_prompt=8 generator.eval_sampling_params.temperature=1
  $ actors eval ./checkpoint -f gsm8k.yaml -o result.json`,
      )
      .action(async (checkpoint: string, settings: string[], { output, ...options }: EvalOptions) => {
        const [{ plan }, { up }, { evalJob, findCheckpointOf }] = await Promise.all([
          import("../../runtime/cli/plan.js"),
          import("../../runtime/cli/up.js"),
          import("./job.js"),
        ]);
        const cwd = process.cwd();
        const found = findCheckpointOf(checkpoint, cwd);
        const file = options.file ?? found.config;
        const upOptions: UpOptions = {
          ...options,
          ...(file !== undefined && { file }),
          set: ["recipe=eval", ...settings],
        };
        const planned = await plan(upOptions, async () => [evalJob(found.folder, output)], cwd);
        await prepare();
        done(await up(upOptions, planned, process.stdout));
      });
