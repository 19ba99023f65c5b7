import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readClusterFile } from "../runtime/cluster/state.js";
import { type ActorSystem, join as joinCluster, pause, withDeadline } from "../runtime/index.js";
import { server } from "./actors.js";
import { type Benchmark, type Report, root } from "./harness.js";
import { pssMib } from "./measure.js";
import { startRay } from "./ray.js";

const defaultRounds = 3;
const nodes = 4;
const actors = 10_000;
const abreast = 200;
const idleMs = 8_000; // all that a start puts off has happened
const startMs = 60_000;

const bench: Benchmark = {
  claim:
    "An idle cluster of four nodes takes at most half the memory of an idle Ray head, and 10,000 inline actors 100 MiB.",
  leavesOut: ["what programs load", "Ray's dashboard, and its driver process"],

  async measure(report, { runs: rounds = defaultRounds }) {
    report.remark(
      `PSS, the sum of all processes: \`actors up --idle --nodes ${nodes}\`, ${idleMs / 1000} s after it was up`,
    );
    report.remark(
      `${actors} inline actors, spread over the nodes; Ray gives each a process (measured apart: 42 MB each)`,
    );
    for (let round = 1; round <= rounds; round++) {
      await own(report);
      const ray = await startRay(report, "memory.ray.py");
      if (ray) {
        await pause(idleMs);
        report.add("idle, Ray", "MiB", await ray.measure({ row: "idle" }));
        await ray.close();
      }
      report.progress(`round ${round} of ${rounds}`);
    }
  },
};
export default bench;

async function own(report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const main = join(root, "dist", "rl", "main.js");
  const up = spawn(process.execPath, [main, "up", "--idle", "--nodes", String(nodes)], { cwd: dir, stdio: "ignore" });
  try {
    const system = await joined(join(dir, ".actors", "cluster.json"), up);
    await pause(idleMs);
    const file = readClusterFile(join(dir, ".actors", "cluster.json"));
    const pids = [file.pid, ...file.natsPids, ...system.ps().nodes.map(({ pid }) => pid)];
    const idle = pssMib(pids);
    report.add("idle, actors", "MiB", idle);
    report.add("idle, of it nats-server", "MiB", pssMib(file.natsPids));
    for (let made = 0; made < actors; made += abreast)
      await Promise.all(Array.from({ length: abreast }, () => system.spawn(server, { hosting: "inline" })));
    await pause(idleMs);
    report.add(`${actors} inline actors, with their records in every process`, "MiB", pssMib(pids) - idle);
    await system.close();
  } finally {
    const ended = once(up, "exit");
    up.kill("SIGINT");
    await withDeadline(ended, startMs, "the end of the cluster").catch(() => up.kill("SIGKILL"));
    rmSync(dir, { recursive: true, force: true });
  }
}

async function joined(cluster: string, up: ChildProcess): Promise<ActorSystem> {
  for (const end = Date.now() + startMs; ; await pause(100)) {
    try {
      const system = await joinCluster({ cluster });
      while (system.ps().nodes.length < nodes) await pause(100);
      return system;
    } catch (error) {
      if (Date.now() > end || up.exitCode !== null) throw error;
    }
  }
}
