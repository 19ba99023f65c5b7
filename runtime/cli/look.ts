// Commands that look into a running cluster.
import type { Command } from "commander";
import { type Done, examples, print } from "./command.js";
import { exitCodes } from "./usage.js";

export function inspectCommand(command: Command, done: Done): Command {
  return command
    .description(
      "Show one actor: its record and last crashes, and live its mailbox, its calls in flight and its last errors.",
    )
    .argument("<ACTOR>", "its name, its id, or its definition when that has one actor")
    .addHelpText(
      "after",
      `
A handler that never returns shows under IN FLIGHT with its age; calls that wait behind it under QUEUED.
LAST ERRORS are what its handlers threw; LAST CRASHES the ends of its incarnations that nobody asked for.
${examples("actors inspect policy", "actors inspect policy --json | jq '.live.queued'")}`,
    )
    .action(async (wanted: string, { json }: { json?: boolean }) => {
      const { inspect, renderActor } = await import("./inspect.js");
      const found = await inspect(wanted);
      if (json) print(JSON.stringify(found));
      else process.stdout.write(renderActor(found));
      done(exitCodes.ok);
    });
}
