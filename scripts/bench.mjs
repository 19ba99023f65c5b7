// npm run bench [NAME]: prepares what is missing, then runs bench/main.ts.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { report } from "./setup/bootstrap.mjs";
import { root } from "./setup/paths.mjs";
import { setUp } from "./setup/set-up.mjs";

try {
  await setUp(["npm", "typescript", "native", "nats-server"]);
} catch (error) {
  report(error, false);
  process.exit(1);
}
await import(pathToFileURL(join(root, "dist", "bench", "main.js")).href);
