import type { CommandFactory } from "../../runtime/cli/cli.js";
import { exitCodes } from "../../runtime/cli/usage.js";

/** `actors check`: everything that can be known wrong, before anything starts. */
export const checkCommand: CommandFactory = (command, done) =>
  command("check")
    .description("Check a configuration and everything it names; print what it resolves to, its memory and its time.")
    .argument("[KEY=VALUE...]", "settings over those of the file")
    .option("-f, --file <FILE>", "configuration to check (default: actors.yaml, if it is here)")
    .option("--sft", "as `actors sft` would read it")
    .option("--resolved", "print every setting as resolved, in YAML")
    .option("--no-time", "do not measure this machine (a second or two)")
    .addHelpText(
      "after",
      `
Looks at unknown keys, values, what does not divide, context lengths, memory, environments, modules, checkpoints and every row of
the data. Starts nothing. The time is measured on this machine: the model's work, and the environment played by its expert.
Exit code: 0, or 2 when something is wrong.

Examples:
  $ actors check -f gsm8k.yaml
  $ actors check -f gsm8k.yaml trainer.train_batch_size=64 generator.n_samples_per_prompt=16
  $ actors check --sft -f sft.yaml
  $ actors check --json | jq .problems`,
    )
    .action(
      async (
        settings: string[],
        options: { file?: string; sft?: boolean; resolved?: boolean; time: boolean; json?: boolean },
      ) => {
        const [{ check }, { renderCheck }] = await Promise.all([import("./check.js"), import("./render.js")]);
        const given = options.sft ? ["recipe=sft", ...settings] : settings;
        const found = await check({ file: options.file, settings: given, cwd: process.cwd(), time: options.time });
        const config = (found.plan ?? found.sft)?.config;
        if (options.json) process.stdout.write(`${JSON.stringify(found)}\n`);
        else if (options.resolved && config) {
          const { stringify } = await import("yaml");
          process.stdout.write(stringify(config));
        } else process.stdout.write(`${renderCheck(found).join("\n")}\n`);
        if (found.problems.length > 0) done(exitCodes.usage);
      },
    );
