import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandFactory } from "../../runtime/cli/cli.js";
import { findRun } from "./read.js";
import { findRollout, formatRollout, formatRows, listRollouts } from "./show.js";

const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n`);
const runsDir = () => resolve("runs");

/** `actors rollouts`: the episodes a run was trained on. */
export const rolloutsCommand: CommandFactory = (command) => {
  const rollouts: Command = command("rollouts").description(
    "Look at the episodes of a run: what the agent saw, did and got.",
  );
  rollouts.addCommand(
    command("ls")
      .description("List a run's episodes, step by step.")
      .argument("[RUN]", "name of a folder under runs/, or its path", "latest")
      .action((run: string, { json }: { json?: boolean }) => {
        const rows = [...listRollouts(findRun(runsDir(), run))];
        print(json ? rows.map((row) => JSON.stringify(row)) : formatRows(rows));
      }),
  );
  rollouts.addCommand(
    command("show")
      .description("Print one episode as a conversation.")
      .argument("[RUN]", "name of a folder under runs/, or its path", "latest")
      .argument("[KEY]", "as `ls` prints it (default: the newest that was solved)")
      .action((run: string, key: string | undefined, { json }: { json?: boolean }) => {
        const rollout = findRollout(findRun(runsDir(), run), key);
        print(json ? [JSON.stringify(rollout)] : formatRollout(rollout));
      }),
  );
  return rollouts;
};
