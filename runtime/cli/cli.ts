import { readFileSync } from "node:fs";
import { Command, type Option } from "commander";
import { type Done, examples, print } from "./command.js";
import { envCommand } from "./env-command.js";
import type { Job, Jobs } from "./job.js";
import { address, joinCommand } from "./join-command.js";
import { inspectCommand, metricsCommand, objectsCommand, profileCommand, topCommand, traceCommand } from "./look.js";
import type { UpOptions } from "./plan.js";
import { explain, renderError } from "./report.js";
import { exitCodes, wholeNumber } from "./usage.js";

/** One more command, such as `rollouts`. Its action may tell `done` an exit code other than 0; what it throws is reported as one sentence. */
export type CommandFactory = (command: (name: string) => Command, done: Done) => Command;

export interface CliOptions {
  /** What `up` can run; the first is the default. Asked for only when one is to run, or to be listed. */
  jobs: Jobs;
  commands?: readonly CommandFactory[];
  /** Builds or gets what a cluster needs, once the command line and the file are known to be good. */
  prepare?(): Promise<void>;
}

export interface Cli {
  /** Runs one command. Never rejects. @param args without node and script @returns the exit code */
  run(args: readonly string[]): Promise<number>;
}

// Commands and jobs are imported when they run: help and bad input answer without loading them.
export function createCli(options: CliOptions): Cli {
  return {
    async run(args) {
      const asked = { json: args.includes("--json"), debug: args.includes("--debug") };
      if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) return printVersion(false);
      if (args.length === 2 && args.includes("--version") && asked.json) return printVersion(true);
      process.stdout.on("error", () => {}); // a closed pipe ends the command; it is no crash
      let exitCode: number = exitCodes.ok;
      let program: Command | undefined;
      try {
        const listed = args[0] === "up" && asksForHelp(args) ? await options.jobs() : [];
        program = makeProgram(options, listed, (code) => {
          exitCode = code;
        });
        if (args.length === 0) program.outputHelp();
        else await program.parseAsync(args, { from: "user" });
        return exitCode;
      } catch (caught) {
        if (isHelp(caught)) return exitCodes.ok;
        const command = program?.commands.some((c) => c.name() === args[0]) ? args[0]! : "";
        const reported = explain(caught, command);
        if (asked.json) print(JSON.stringify({ event: "error", ...reported, exitCode: undefined }));
        else process.stderr.write(renderError(reported, caught, asked.debug));
        return reported.exitCode;
      }
    },
  };
}

function makeProgram(options: CliOptions, listed: readonly Job[], done: Done): Command {
  const program = new Command("actors")
    .description("Typed actors on NATS, and the training of LLM agents on them.")
    .option("-V, --version", "print the version")
    .addHelpText(
      "after",
      examples("actors up --nodes 4", "actors up -f train.yaml -d && actors logs -f", "actors doctor"),
    );
  quiet(program);
  const command = (name: string) =>
    quiet(new Command(name))
      .option("--json", "print JSON instead of text")
      .option("--debug", "show the stack of an error");
  program.addCommand(upCommand(command("up"), options, listed, done));
  program.addCommand(joinCommand(command, done));
  program.addCommand(downCommand(command("down"), done));
  program.addCommand(psCommand(command("ps"), done));
  program.addCommand(topCommand(command("top"), done));
  program.addCommand(inspectCommand(command("inspect"), done));
  program.addCommand(traceCommand(command("trace"), done));
  program.addCommand(profileCommand(command("profile"), done));
  program.addCommand(objectsCommand(command("objects"), done));
  program.addCommand(metricsCommand(command("metrics"), done));
  program.addCommand(logsCommand(command("logs"), done));
  program.addCommand(envCommand(command, done));
  program.addCommand(doctorCommand(quiet(new Command("doctor")), done));
  for (const make of options.commands ?? []) program.addCommand(make(command, done));
  return program;
}

/** Errors are thrown and reported in one place; help goes to stdout. */
function quiet(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .helpOption("-h, --help", "show this help")
    .helpCommand(false);
}

/** @param listed the jobs that its help shows */
function upCommand(command: Command, { jobs, prepare }: CliOptions, listed: readonly Job[], done: Done): Command {
  const recipes = listed.map((job, i) => `  ${job.name.padEnd(14)} ${job.describe}${i === 0 ? " (default)" : ""}`);
  return command
    .description("Start a cluster for this folder, run what actors.yaml says on it, and take it down again.")
    .argument("[KEY=VALUE...]", "settings over those of the file, as by --set")
    .option(
      "-n, --nodes <N>",
      "node agents to start (default: cluster.nodes of the file, or 4)",
      wholeNumber("--nodes", 1, 1024),
    )
    .option("-f, --file <FILE>", "configuration to run (default: actors.yaml, if it is here)")
    .option("--seed <N>", "seed of everything random", wholeNumber("--seed", 0, 0xffffffff))
    .option("--resume <RUN>", "go on with a run that ended or died: `latest`, a folder under runs/, or a path")
    .option("--set <KEY=VALUE>", "override one setting of the file; may be repeated", collect)
    .option("-d, --detach", "leave it running in the background")
    .option("--idle", "start the cluster alone, for your own programs to join")
    .option(
      "-p, --port <PORT>",
      "port of nats-server; more servers have the next ones (default: free ones)",
      wholeNumber("--port", 1, 65535),
    )
    .option(
      "--servers <N>",
      "nats-servers: 3 or 5 go on when one is lost (default: cluster.servers of the file, or 1)",
      wholeNumber("--servers", 1, 5),
    )
    .option(
      "--listen <ADDRESS>",
      "address of this machine at which nats-server listens, so that others can join",
      address,
    )
    .option("--tls", "encrypt what goes between machines, with certificates made for it (or cluster.tls of the file)")
    .option("--autoscale-command <CMD>", "shell command that gets the demand no node can meet, as JSON on stdin")
    .option("--autoscale-url <URL>", "the same by POST (default: cluster.autoscale of the file)")
    .addHelpText(
      "after",
      `${recipes.length > 0 ? `\nRecipes (recipe: in the file):\n${recipes.join("\n")}\n` : ""}
Ctrl-C lets the job come to a good end, then removes everything; a second one does not wait.
Exit code: 0, or 1 when the job failed, 2 for bad input, 130 after Ctrl-C.
${examples("actors up --nodes 4", "actors up -f train.yaml trainer.max_training_steps=20 --seed 7", "actors up --resume latest", "actors up --idle -d")}`,
    )
    .action(
      async (settings: string[], { detach: background, ...given }: UpOptions & { detach?: boolean }, self: Command) => {
        const options = settings.length === 0 ? given : { ...given, set: [...(given.set ?? []), ...settings] };
        const { plan } = await import("./plan.js");
        const planned = await plan(options, jobs, process.cwd()); // bad input is told here, before long work and not in a log
        await prepare?.();
        if (!background) {
          const { up } = await import("./up.js");
          return done(await up(options, planned, process.stdout));
        }
        const { detach } = await import("./detach.js");
        const { pid, log } = await detach(foregroundArgs(self, options), process.cwd());
        if (options.json) print(JSON.stringify({ event: "up", pid, log }));
        else print(`up in the background (process ${pid})\nwatch it: actors logs -f up\nstop it:  actors down`);
      },
    );
}

/** The same command line without --detach. */
function foregroundArgs(command: Command, { set = [], ...options }: UpOptions): string[] {
  const args = set.flatMap((setting) => ["--set", setting]);
  for (const [name, value] of Object.entries(options)) {
    const flag = command.options.find((option: Option) => option.attributeName() === name)!.long!;
    args.push(...(value === true ? [flag] : [flag, String(value)]));
  }
  return args;
}

function downCommand(command: Command, done: Done): Command {
  return command
    .description("Stop the cluster of this folder and wait until nothing of it is left.")
    .addHelpText("after", examples("actors down"))
    .action(async ({ json }: { json?: boolean }) => {
      const { down } = await import("./down.js");
      const result = await down(process.cwd());
      print(json ? JSON.stringify(result) : result.text);
      done(exitCodes.ok);
    });
}

function psCommand(command: Command, done: Done): Command {
  return command
    .description("Show the nodes and actors of this folder's cluster.")
    .option("-a, --all", "also actors that have ended")
    .option("-w, --why", "also what actors without a node wait for, and what each node offers")
    .addHelpText(
      "after",
      examples("actors ps", "actors ps --why", "actors ps --json | jq '.actors[] | select(.restarts > 0)'"),
    )
    .action(async ({ all, why, json }: { all?: boolean; why?: boolean; json?: boolean }) => {
      const { ps, renderPs } = await import("./ps.js");
      const found = await ps(all === true);
      if (json) print(JSON.stringify(found));
      else process.stdout.write(renderPs(found, why));
      done(exitCodes.ok);
    });
}

function logsCommand(command: Command, done: Done): Command {
  return command
    .description("Print the logs of this folder's last cluster, in the order of time.")
    .argument("[NAME]", "a node (n1), an actor's name, definition or id, `nats`, or `up`")
    .option("-f, --follow", "go on as lines come, until the cluster ends")
    .addHelpText(
      "after",
      examples("actors logs", "actors logs -f n2", "actors logs policy --json | jq 'select(.level >= 40)'"),
    )
    .action(async (name: string | undefined, options: { follow?: boolean; json?: boolean }) => {
      const [{ logs }, { Interrupts }] = await Promise.all([import("./logs.js"), import("./interrupts.js")]);
      const interrupts = new Interrupts((code) => process.exit(code));
      try {
        await logs(name, options, { cwd: process.cwd(), out: process.stdout, signal: interrupts.signal });
      } finally {
        interrupts.close();
      }
      done(interrupts.exitCode ?? exitCodes.ok);
    });
}

/** Doctor stands on Node alone, for it must work where nothing else does; here it is only part of the help. */
function doctorCommand(command: Command, done: Done): Command {
  return command
    .description("Look at everything `up` needs, and say how to mend what is missing (--fix mends).")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[ARGS...]")
    .action(async (args: string[]) => {
      const module = new URL("../../../scripts/doctor/main.mjs", import.meta.url).href;
      const { main } = (await import(module)) as { main(args: string[]): Promise<number> };
      done(await main(args));
    });
}

const asksForHelp = (args: readonly string[]) => args.includes("--help") || args.includes("-h");

const collect = (value: string, before: string[] = []) => [...before, value];

const isHelp = (caught: unknown) => {
  const code = (caught as { code?: unknown })?.code;
  return code === "commander.helpDisplayed" || code === "commander.help";
};

function printVersion(json: boolean): number {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  print(json ? JSON.stringify({ version, node: process.versions.node }) : version);
  return exitCodes.ok;
}
