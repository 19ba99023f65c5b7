// The program behind ./actors: the runtime's command line with the jobs and commands of the RL layer.
import { createCli } from "../runtime/cli/cli.js";
import { quickstart } from "./recipes/quickstart.js";
import { rolloutsCommand } from "./run/command.js";

const cli = createCli({ jobs: [quickstart], commands: [rolloutsCommand] });
process.exitCode = await cli.run(process.argv.slice(2));
