import type { Command } from "commander";
import type { CommandFactory } from "../../../runtime/cli/cli.js";
import { UsageError, wholeNumber } from "../../../runtime/cli/usage.js";
import { type BackendName, backendNames, type PullPolicy, pullPolicies } from "../names.js";
import type { ServeOptions } from "./serve.js";

/** `actors sandbox`: sandboxes for others. */
export const sandboxCommand: CommandFactory = (command, done) => {
  const sandbox: Command = command("sandbox")
    .description("Serve sandboxes of this machine over HTTP.")
    .action((_options: unknown, self: Command) => self.outputHelp());
  sandbox.addCommand(
    command("serve")
      .description("Serve sandboxes as OpenHands' remote runtime does, and to our own remote backend, until Ctrl-C.")
      .requiredOption("--api-key-file <FILE>", "holds the key that clients send as X-API-Key")
      .option("--host <ADDRESS>", "address to listen on", "127.0.0.1")
      .option("--port <N>", "port to listen on; 0: a free one", wholeNumber("--port", 0, 65_535), 3_000)
      .option("--size <N>", "sandboxes at once", wholeNumber("--size", 1, 4_096), 8)
      .option(
        "--backend <NAME>",
        `auto, ${backendNames.filter((name) => name !== "remote").join(", ")}`,
        backendOf,
        "auto",
      )
      .option("--image <NAME>", "image of sandboxes that name none (docker, podman)")
      .option("--pull <POLICY>", "never, or missing: pull what is not here", pullOf, "never")
      .option("--ignore-image", "start sessions that name an image although the backend has none")
      .option("--memory-mb <N>", "of each command", wholeNumber("--memory-mb", 16))
      .option("--disk-mb <N>", "of a workspace", wholeNumber("--disk-mb", 1))
      .option("--processes <N>", "in a sandbox", wholeNumber("--processes", 2))
      .option("--cpus <N>", "cores' worth of time of a sandbox", wholeNumber("--cpus", 1))
      .option("--idle <SECONDS>", "stop a session that nobody used for so long", wholeNumber("--idle", 1), 1_800)
      .option("--lifetime <SECONDS>", "and after this in any case", wholeNumber("--lifetime", 1), 14_400)
      .addHelpText(
        "after",
        `
It speaks plain HTTP: on other addresses than loopback, put a proxy with TLS before it.

Examples:
  $ openssl rand -hex 32 > key && chmod 600 key
  $ actors sandbox serve --api-key-file key --port 3000`,
      )
      .action(async (_options: object, self: Command) => {
        const { serve } = await import("./serve.js");
        done(await serve(self.optsWithGlobals<ServeOptions>()));
      }),
  );
  return sandbox;
};

function backendOf(name: string): BackendName | "auto" {
  if (name === "auto" || (name !== "remote" && (backendNames as readonly string[]).includes(name)))
    return name as BackendName;
  throw new UsageError(`--backend must be auto or a backend of this machine, not ${name}`);
}

function pullOf(policy: string): PullPolicy {
  if ((pullPolicies as readonly string[]).includes(policy)) return policy as PullPolicy;
  throw new UsageError(`--pull must be never or missing, not ${policy}`);
}
