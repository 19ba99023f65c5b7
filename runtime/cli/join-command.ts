import { isIP } from "node:net";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type Done, examples } from "./command.js";
import { UsageError, wholeNumber } from "./usage.js";

export interface JoinCommandOptions {
  nodes?: number;
  file?: string;
  credential?: string;
  json?: boolean;
}

export function joinCommand(command: (name: string) => Command, done: Done): Command {
  return command("join")
    .description("Start node agents here that belong to a cluster of another machine, until Ctrl-C.")
    .argument("<URL>", "nats://HOST:PORT, as `actors up --listen` prints it")
    .option(
      "-n, --nodes <N>",
      "node agents to start (default: cluster.nodes of the file, or 4)",
      wholeNumber("--nodes", 1, 1024),
    )
    .option("-f, --file <FILE>", "what these nodes have, under cluster: (default: actors.yaml, if it is here)")
    .option(
      "--credential <FILE>",
      "copy of the cluster's .actors/join.json; - reads standard input (default: $ACTORS_CREDENTIAL, its text)",
    )
    .addHelpText(
      "after",
      `
Ctrl-C ends the actors here well, has them started elsewhere, and removes everything.
${examples("actors join nats://10.0.0.5:4222 --credential join.json --nodes 2", "ssh head cat run/.actors/join.json | actors join nats://10.0.0.5:4222 --credential -")}`,
    )
    .action(async (url: string, options: JoinCommandOptions) => {
      if (!/^nats:\/\/[^/@\s]+:\d+$/.test(url)) throw new UsageError(`${url} is not of the form nats://HOST:PORT`);
      const { runJoin } = await import("./join-cluster.js");
      done(await runJoin(url, options, process.cwd(), process.stdout));
    });
}

/** @throws UsageError */
export function address(text: string): string {
  if (isIP(text) === 4 && text !== "0.0.0.0") return text;
  throw new UsageError(`--listen takes an IPv4 address of this machine, such as 10.0.0.5, not ${text}`);
}

export const credentialPath = (file: string, cwd: string) => (file === "-" ? file : resolve(cwd, file));
