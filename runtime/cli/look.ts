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

export function metricsCommand(command: Command, done: Done): Command {
  return command
    .description("Print the figures of a node for Prometheus, or where each node serves them.")
    .argument("[NODE]", "a node, such as n1; without it the addresses are listed")
    .addHelpText(
      "after",
      `
Each node serves them on a free port of its own loopback, also those of its actors in threads and processes.
Labels are names of definitions, methods, error codes and states, never ids of actors.
${examples(
  "actors metrics",
  "actors metrics n1 | grep actors_calls_total",
  "actors metrics n1 --json | jq '.[] | select(.name == \"actors_mailbox_depth\").values'",
  "curl -s $(actors ps --json | jq -r '.nodes[0].metrics')",
)}`,
    )
    .action(async (node: string | undefined, { json }: { json?: boolean }) => {
      const { metricsNodes, nodeMetrics, renderMetricsNodes } = await import("./metrics.js");
      if (node !== undefined) process.stdout.write(`${(await nodeMetrics(node, json === true)).trimEnd()}\n`);
      else {
        const nodes = await metricsNodes();
        process.stdout.write(json ? `${JSON.stringify(nodes)}\n` : renderMetricsNodes(nodes));
      }
      done(exitCodes.ok);
    });
}
