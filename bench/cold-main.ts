// One cold start for bench/lifecycle.ts: a cluster of one node and an actor in a process, or all in this process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../runtime/cluster/start.js";
import { localSystem } from "../runtime/index.js";
import { mortal } from "./lifecycle-actors.js";

if (process.argv[2] === "inline") {
  const system = await localSystem();
  await (await system.spawn(mortal)).pid();
  process.stdout.write("answered\n");
  await system.close();
} else {
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const cluster = await startCluster({ nodes: 1, stateDir: dir });
  await (await cluster.system.spawn(mortal, { hosting: "process" })).pid();
  process.stdout.write("answered\n");
  await cluster.stop("the benchmark ended");
  rmSync(dir, { recursive: true, force: true });
}
