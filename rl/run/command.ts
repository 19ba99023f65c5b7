import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandFactory } from "../../runtime/cli/cli.js";
import { exitCodes } from "../../runtime/cli/usage.js";

const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n`);
// Imported when it runs: the command is part of every start, its work is not.
const tools = async () => ({ ...(await import("./read.js")), ...(await import("./show.js")) });
const runsDir = () => resolve("runs");

/** `actors rollouts`: the episodes a run was trained on. */
export const rolloutsCommand: CommandFactory = (command, done) => {
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
  rollouts.addCommand(
    command("diff")
      .description("Show two episodes beside each other, from the turn on at which they part.")
      .argument("<RUN>", "name of a folder under runs/, or its path")
      .argument("<KEY>", "as `ls` prints it")
      .argument("<OTHER>", "another key; of another run as RUN:KEY")
      .action(async (run: string, key: string, other: string, _options: object, self: Command) => {
        const { json } = self.optsWithGlobals<{ json?: boolean }>();
        const [{ findRollout, findRun }, { firstDifference, formatDiff }] = await Promise.all([
          tools(),
          import("./diff.js"),
        ]);
        const [, otherRun = run, otherKey = other] = /^(.+):([^:]+)$/.exec(other) ?? [];
        const a = findRollout(findRun(runsDir(), run), key);
        const b = findRollout(findRun(runsDir(), otherRun), otherKey);
        const parted = firstDifference(a, b);
        print(json ? [JSON.stringify({ parted: Number.isFinite(parted) ? parted : null, a, b })] : formatDiff(a, b));
      }),
  );
  rollouts.addCommand(
    command("replay")
      .description(
        "Take an episode's actions again in its environment, without a model, and compare: exit code 1 when it comes out otherwise.",
      )
      .argument("[RUN]", "name of a folder under runs/, or its path", "latest")
      .argument("[KEY]", "as `ls` prints it (default: the newest that was solved)")
      .option("--all", "every episode of the run")
      .action(async (run: string, key: string | undefined, _options: object, self: Command) => {
        const { json, all } = self.optsWithGlobals<{ json?: boolean; all?: boolean }>();
        const [{ findRollout, findRun, readTrajectories }, replay, { withSandbox }] = await Promise.all([
          tools(),
          import("./replay.js"),
          import("../gym/gym.js"),
        ]);
        const folder = findRun(runsDir(), run);
        const def = await replay.environmentOf(folder, ".");
        const wanted = all ? readTrajectories(folder) : [findRollout(folder, key)];
        await withSandbox(async (context) => {
          for (const recorded of wanted) {
            const deviations = await replay.replayRollout(def, recorded, context);
            if (deviations.length > 0) done(exitCodes.failed);
            print(
              json ? [JSON.stringify({ key: recorded.key, deviations })] : replay.formatReplay(recorded, deviations),
            );
          }
        });
      }),
  );
  return rollouts;
};
