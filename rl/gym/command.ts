import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import type { CommandFactory } from "../../runtime/cli/cli.js";
import { wholeNumber } from "../../runtime/cli/usage.js";
import type { RunEpisode } from "./gym.js";

const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n`);
// Imported when it runs: the command is part of every start, its work is not.
const tools = async () => await import("./gym.js");
const here = () => pathToFileURL(`${resolve(".")}/`).href;
const named = "a built-in one, or ./module.js#export";

/** `actors gym`: environments by themselves, without a model or a cluster. */
export const gymCommand: CommandFactory = (command) => {
  const gym: Command = command("gym")
    .description("List, play and verify environments, without a model or a cluster.")
    .addHelpText(
      "after",
      `
Examples:
  $ actors gym ls
  $ actors gym run titration --by expert
  $ actors gym run ./boxes.js#boxes --by hand --task 3
  $ actors gym verify arithmetic`,
    )
    .action((_options: unknown, self: Command) => self.outputHelp());
  gym.addCommand(
    command("ls")
      .alias("list")
      .description("List the built-in environments and their tools.")
      .action(async (_options: object, self: Command) => {
        const { json } = self.optsWithGlobals<{ json?: boolean }>(); // `gym` itself takes it too
        const { listEnvironments, renderList } = await tools();
        const all = listEnvironments();
        print(json ? all.map((each) => JSON.stringify(each)) : renderList(all));
      }),
  );
  gym.addCommand(
    command("run")
      .description("Play one episode.")
      .argument("<NAME>", named)
      .option("--by <WHO>", "expert, random, or hand: an action a line on stdin", "expert")
      .option("--task <N>", "which held-out task", wholeNumber("--task", 0), 0)
      .option("--seed <N>", "of the player", wholeNumber("--seed", 0), 0)
      .action(async (name: string, _options: object, self: Command) => {
        const options = self.optsWithGlobals<RunEpisode>();
        const { runEpisode } = await tools();
        await runEpisode(name, here(), options, process.stdin, (line) => print([line]));
      }),
  );
  gym.addCommand(
    command("verify")
      .description("Check that an environment can be trained on: exit code 1 when it should not.")
      .argument("<NAME>", named)
      .option("--tasks <N>", "held-out tasks to play with each player", wholeNumber("--tasks", 1), 20)
      .addHelpText(
        "after",
        `
Tasks are plain data, the same for the same seed, and none is both trained on and held out; an episode is the same for the same
actions, ends, and goes on the same from a snapshot; the expert's mean reward is above that of random actions. Of swe, every
task is tried as well: it fails before, passes with the reference fix, and catches three wrong ones. That takes minutes.`,
      )
      .action(async (name: string, _options: object, self: Command) => {
        const { tasks, json } = self.optsWithGlobals<{ tasks: number; json?: boolean }>();
        const { notVerified, renderVerified, verifyEnvironment } = await tools();
        const found = await verifyEnvironment(name, here(), tasks, (line) => process.stderr.write(`${line}\n`));
        print(json ? [JSON.stringify({ name, ...found })] : renderVerified(name, found));
        if (found.problems.length > 0) throw notVerified(name, found);
      }),
  );
  return gym;
};
