// The command line without jobs, for end-to-end tests.
import { createCli } from "./cli.js";

process.exitCode = await createCli({ jobs: async () => [] }).run(process.argv.slice(2));
