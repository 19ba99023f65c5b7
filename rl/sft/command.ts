import type { CommandFactory } from "../../runtime/cli/cli.js";
import type { UpOptions } from "../../runtime/cli/plan.js";
import { wholeNumber } from "../../runtime/cli/usage.js";

type SftOptions = Pick<UpOptions, "file" | "nodes" | "seed" | "resume" | "json" | "debug">;

/** `actors sft`: supervised fine-tuning, on a cluster of its own, once it is `prepare`d. */
export const sftCommand =
  (prepare: () => Promise<void>): CommandFactory =>
  (command, done) =>
    command("sft")
      .description("Fine-tune a model on conversations: the loss is on what the assistant says.")
      .argument("[KEY=VALUE...]", "settings over those of the file")
      .option("-f, --file <FILE>", "configuration (default: actors.yaml, if it is here)")
      .option("-n, --nodes <N>", "node agents to start", wholeNumber("--nodes", 1, 1024))
      .option("--seed <N>", "seed of the order of the rows", wholeNumber("--seed", 0, 0xffffffff))
      .option("--resume <RUN>", "go on with a run that ended or died: `latest`, a folder under runs/, or a path")
      .addHelpText(
        "after",
        `
Rows have \`messages\` (and \`tools\`), or \`prompt\` and \`response\`. A step is one update on trainer.train_batch_size of them, packed into
micro-batches of trainer.max_tokens_per_microbatch. Without data.train_data the environment's demonstrations are learned.

Examples:
  $ actors sft -f sft.yaml trainer.policy.model.path=./Qwen3-0.6B data.train_data='["chats.jsonl"]' trainer.epochs=2
  $ actors sft --resume latest`,
      )
      .action(async (settings: string[], options: SftOptions) => {
        const [{ plan }, { up }, { sft }] = await Promise.all([
          import("../../runtime/cli/plan.js"),
          import("../../runtime/cli/up.js"),
          import("./job.js"),
        ]);
        const upOptions: UpOptions = { ...options, set: ["recipe=sft", ...settings] };
        const planned = await plan(upOptions, async () => [sft], process.cwd());
        await prepare();
        done(await up(upOptions, planned, process.stdout));
      });
