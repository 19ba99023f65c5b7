import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandFactory } from "../../runtime/cli/cli.js";

const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n`);
// Imported when it runs: the command is part of every start, its work is not.
const tools = async () => ({ ...(await import("./read.js")), ...(await import("./show.js")) });
const runsDir = () => resolve("runs");

/** `actors rollouts`: the episodes a run was trained on. */
export const rolloutsCommand: CommandFactory = (command) => {
  const rollouts: Command = command("rollouts").description(
    "Look at the episodes of a run: what the agent saw, did and got.",
  );
  rollouts.addCommand(
    command("ls")
      .description("List the episodes a run was trained on, step by step.")
      .argument("[RUN]", "name of a folder under runs/, or its path", "latest")
      .option("--dropped", "instead those it was not trained on, and why")
      .action(async (run: string, { dropped }: { dropped?: boolean }, self: Command) => {
        const { json } = self.optsWithGlobals<{ json?: boolean }>(); // `rollouts` itself takes it too
        const { findRun, formatDropped, formatRows, listDropped, listRollouts } = await tools();
        const folder = findRun(runsDir(), run);
        if (dropped) {
          const rows = listDropped(folder);
          print(json ? rows.map((row) => JSON.stringify(row)) : formatDropped(rows));
        } else {
          const rows = [...listRollouts(folder)];
          print(json ? rows.map((row) => JSON.stringify(row)) : formatRows(rows));
        }
      }),
  );
  rollouts.addCommand(
    command("show")
      .description("Print one episode as a conversation.")
      .argument("[RUN]", "name of a folder under runs/, or its path", "latest")
      .argument("[KEY]", "as `ls` prints it (default: the newest that was solved)")
      .action(async (run: string, key: string | undefined, _options: object, self: Command) => {
        const { json } = self.optsWithGlobals<{ json?: boolean }>();
        const { findRollout, findRun, formatRollout } = await tools();
        const rollout = findRollout(findRun(runsDir(), run), key);
        print(json ? [JSON.stringify(rollout)] : formatRollout(rollout));
      }),
  );
  return rollouts;
};
