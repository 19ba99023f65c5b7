// Commands that look into a running cluster.
import type { Command } from "commander";
import { type Done, examples, print } from "./command.js";
import { exitCodes, wholeNumber } from "./usage.js";

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

export function topCommand(command: Command, done: Done): Command {
  return command
    .description("Watch the nodes and the busiest actors: drawn again each second on a terminal, one look elsewhere.")
    .option("--once", "one look, also on a terminal or with --json")
    .addHelpText(
      "after",
      `
Actors whose mailbox is fullest come first, then those with the most calls. With --json one object a second.
CPU is of one processor: 200 % is two of them busy. SILENT are processes and threads that do not answer.
Ctrl-C ends it. \`actors inspect\` shows one actor of the list.
${examples("actors top", "actors top --once", "actors top --json | jq -c '.actors[0]'")}`,
    )
    .action(async ({ json = false, once = false }: { json?: boolean; once?: boolean }) => {
      const [{ top }, { join }, { Interrupts }] = await Promise.all([
        import("./top.js"),
        import("../join.js"),
        import("./interrupts.js"),
      ]);
      const interrupts = new Interrupts((code) => process.exit(code));
      try {
        await using system = await join({ required: true });
        await top(system, { json, once }, { out: process.stdout, signal: interrupts.signal });
      } finally {
        interrupts.close();
      }
      done(interrupts.exitCode ?? exitCodes.ok);
    });
}

export function traceCommand(command: Command, done: Done): Command {
  return command
    .description("Show where the calls of a trace wait, across processes: each under the one whose handler made it.")
    .argument("[TRACE]", "its id or traceparent, or how the id begins; without it all traces with calls in flight")
    .addHelpText(
      "after",
      `
A call is traced that is made by \`a.f.with({ trace: true })(x)\`, by a program that runs with ACTORS_TRACE=1, or by the
handler of a traced call. It runs, waits in a mailbox, is held back because that is full, or waits for its actor.
${examples("actors trace", "actors trace 4bf92f35", "actors trace --json | jq '.[].calls[].state'")}`,
    )
    .action(async (trace: string | undefined, { json }: { json?: boolean }) => {
      const { renderTraces, traces } = await import("./trace.js");
      const found = await traces(trace ?? "");
      if (json) print(JSON.stringify(found));
      else process.stdout.write(renderTraces(found));
      done(exitCodes.ok);
    });
}

export function profileCommand(command: Command, done: Done): Command {
  return command
    .description("Sample what an actor's thread runs, and write a CPU profile that speedscope and browsers open.")
    .argument("<ACTOR>", "its name, its id, or its definition when that has one actor")
    .option("-s, --seconds <N>", "how long (default: 5)", wholeNumber("--seconds", 1, 600), 5)
    .option("-o, --out <FILE>", "where to (default: ACTOR.cpuprofile here)")
    .addHelpText(
      "after",
      `
An actor in a thread or process is sampled alone; an inline one with all that its node agent does.
${examples("actors profile policy", "actors profile policy --seconds 30 --out slow.cpuprofile")}`,
    )
    .action(async (wanted: string, { json, seconds, out }: { json?: boolean; seconds: number; out?: string }) => {
      const [{ profile, renderProfile }, { Interrupts }] = await Promise.all([
        import("./profile.js"),
        import("./interrupts.js"),
      ]);
      const interrupts = new Interrupts((code) => process.exit(code));
      try {
        const run = await profile(wanted, { seconds, out, cwd: process.cwd(), signal: interrupts.signal });
        if (json) print(JSON.stringify(run));
        else process.stdout.write(renderProfile(run));
      } finally {
        interrupts.close();
      }
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

export function objectsCommand(command: Command, done: Done): Command {
  return command
    .description("List the objects of the cluster: size, where they lie, who owns them and who reads them.")
    .addHelpText(
      "after",
      `
USE is put, for what \`system.put\` keeps until it is freed or its owner ends; argument, tell or result for a payload
from 256 KiB on its way. Owner and READERS are shown as node/process; readers are the processes that have it mapped.
Objects beyond objects.memory of actors.yaml lie on disk, those that nobody read for longest first.
${examples("actors objects", "actors objects --json | jq '.objects | map(.bytes) | add'")}`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const { objects, renderObjects } = await import("./objects.js");
      const found = await objects();
      if (json) print(JSON.stringify(found));
      else process.stdout.write(renderObjects(found));
      done(exitCodes.ok);
    });
}
