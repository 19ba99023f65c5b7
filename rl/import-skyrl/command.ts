import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { CommandFactory } from "../../runtime/cli/cli.js";
import { UsageError } from "../../runtime/cli/usage.js";

/** `actors import-skyrl`: a file of ours from a command or a file of SkyRL's. */
export const importSkyRlCommand: CommandFactory = (command) =>
  command("import-skyrl")
    .description("Turn a SkyRL command, script or YAML file into a configuration, and say what it leaves out.")
    .argument("[INPUT...]", "a script, a YAML file, - for standard input, or the words of a command after --")
    .option("-o, --output <FILE>", "write it there (default: standard output)")
    .addHelpText(
      "after",
      `
Settings that a command does not say have SkyRL's defaults, not ours. Scripts are read, not run: variables that they or the environment
set are put in. What is left out, and why, stands at the end as comments.

Examples:
  $ actors import-skyrl run_gsm8k.sh -o gsm8k.yaml && actors check -f gsm8k.yaml
  $ actors import-skyrl -- trainer.algorithm.advantage_estimator=rloo generator.n_samples_per_prompt=8`,
    )
    .action(async (input: string[], { output, json }: { output?: string; json?: boolean }) => {
      const [{ importSkyRl }, { stringify }] = await Promise.all([import("./import.js"), import("yaml")]);
      const imported = importSkyRl(read(input), process.env);
      if (json) return void process.stdout.write(`${JSON.stringify(imported)}\n`);
      const { config, left, notes } = imported;
      const shown = (value: unknown) => JSON.stringify(value);
      const comments = [
        ...notes.map((note) => `# To do: ${note}.`),
        ...(left.length > 0 ? ["# Left out:"] : []),
        ...left.map(({ key, value, why }) => `#   ${key}=${shown(value)}: ${why}`),
      ];
      const text = `# From a configuration of SkyRL.\n${stringify(config)}${comments.join("\n")}\n`;
      if (output === undefined) return void process.stdout.write(text);
      writeFileSync(output, text);
      process.stdout.write(
        `${output} is written; ${left.length} settings are left out, and told at its end\n${notes.map((note) => `to do: ${note}\n`).join("")}`,
      );
    });

function read(input: readonly string[]): string {
  const [first] = input;
  if (first === undefined || first === "-") return readFileSync(0, "utf8");
  if (input.length > 1 || first.includes("="))
    return input.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(" ");
  if (!existsSync(first)) throw new UsageError(`there is no ${first}`);
  return readFileSync(first, "utf8");
}
