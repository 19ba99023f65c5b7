import type { Command } from "commander";
import { type Done, examples, print } from "./command.js";
import { exitCodes, UsageError } from "./usage.js";

/** `actors env ls` and `actors env rm`. @param command makes one with the options that all have */
export function envCommand(command: (name: string) => Command, done: Done): Command {
  const ls = command("ls")
    .description("List the job bundles: what they are, where they are installed, and what runs from them.")
    .addHelpText(
      "after",
      `
Of the cluster of this folder: what its programs have shipped, and what its nodes have installed. Where none runs: what is
installed on this machine. A bundle that is only shipped is installed when a node first starts an actor of it.
IN USE BY are this cluster's actors; of another cluster on the same machine, the processes of its nodes.
${examples("actors env ls", "actors env ls --json | jq '.[] | {hash, job, actors}'")}`,
    )
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<{ json?: boolean }>(); // `env` itself takes it too
      const { envLs, renderEnvs } = await import("./env.js");
      const found = await envLs();
      if (json) print(JSON.stringify(found));
      else process.stdout.write(renderEnvs(found));
      done(exitCodes.ok);
    });
  const rm = command("rm")
    .description("Remove a job bundle from the nodes and from the cluster's store, or all that nothing runs from.")
    .argument("[HASH]", "its hash, or as much of it as tells it from the others")
    .option("-u, --unused", "every bundle that no actor runs from")
    .addHelpText(
      "after",
      `
A bundle that actors run from is kept, and the command fails. One that is removed is shipped and installed again by the
next program that spawns from it. Where no cluster runs, it is removed from this machine.
${examples("actors env rm 3f2a9c", "actors env rm --unused")}`,
    )
    .action(async (hash: string | undefined, _options: object, self: Command) => {
      const { unused, json } = self.optsWithGlobals<{ unused?: boolean; json?: boolean }>();
      if ((hash === undefined) !== (unused === true)) {
        throw new UsageError("env rm takes either a HASH or --unused", { hint: "`actors env ls` lists the hashes." });
      }
      const { envRm, renderRemoved } = await import("./env.js");
      const removed = await envRm(hash);
      if (json) print(JSON.stringify({ removed: removed.map((each) => each.hash) }));
      else process.stdout.write(renderRemoved(removed));
      done(exitCodes.ok);
    });
  return command("env")
    .description("List and remove job bundles: the code that programs ship to the nodes, with its dependencies.")
    .addHelpText(
      "after",
      `
A program outside of the folder where the cluster was started ships its package when it spawns: the files that git does not
ignore, with its lock file, named by the hash of their contents. A node that is to start an actor of it unpacks it into a folder
of its own, runs \`npm ci\` there once, and gives it the node's own \`actors\`. So jobs with conflicting dependencies share a cluster.
${examples("actors env ls", "actors env rm --unused")}`,
    )
    .addCommand(ls)
    .addCommand(rm)
    .action((_options: unknown, self: Command) => self.outputHelp());
}
