// The program behind ./actors: the runtime's command line with the jobs and commands of the RL layer.
import { createCli } from "../runtime/cli/cli.js";
import { checkCommand } from "./check/command.js";
import { evalCommand } from "./eval/command.js";
import { gymCommand } from "./gym/command.js";
import { importSkyRlCommand } from "./import-skyrl/command.js";
import { rolloutsCommand } from "./run/command.js";
import { sandboxCommand } from "./sandbox/server/command.js";
import { sftCommand } from "./sft/command.js";

/** Builds or gets what a cluster needs. */
const prepare = async () => {
  const module = new URL("../../scripts/setup/set-up.mjs", import.meta.url).href;
  const { setUp } = (await import(module)) as { setUp(steps: string[]): Promise<void> };
  await setUp(["native", "nats-server"]);
};

const cli = createCli({
  jobs: async () => (await import("./recipes/recipes.js")).jobs,
  commands: [
    checkCommand,
    evalCommand(prepare),
    sftCommand(prepare),
    importSkyRlCommand,
    rolloutsCommand,
    gymCommand,
    sandboxCommand,
  ],
  prepare,
});
process.exitCode = await cli.run(process.argv.slice(2));
