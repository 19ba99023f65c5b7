// npm test [-- PATTERN …]: prepares what is missing, then runs the tests beside the sources: units first, then those
// with real processes, one summary for both. A PATTERN keeps the files whose path contains it.
import { report } from "./setup/bootstrap.mjs";
import { root } from "./setup/paths.mjs";
import { setUp } from "./setup/set-up.mjs";
import { findTests } from "./test/files.mjs";
import { runTests } from "./test/run.mjs";

const patterns = process.argv.slice(2);
try {
  await setUp(["npm", "typescript", "native", "nats-server"]);
  const tests = findTests(root, patterns);
  if (tests.units.length + tests.e2e.length === 0) {
    process.stderr.write(`no test file's path contains ${patterns.join(" or ")}\n`);
    process.exitCode = 1;
  } else {
    process.exitCode = (await runTests(tests)) ? 0 : 1;
  }
} catch (error) {
  report(error, false);
  process.exitCode = 1;
}
