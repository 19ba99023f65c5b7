import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSummary } from "../rl/run/folder.js";
import type { StepMetrics } from "../rl/trainer/report.js";
import { type Benchmark, type Report, root } from "./harness.js";

const defaultRuns = 3;
const runMs = 15 * 60_000;

const bench: Benchmark = {
  claim:
    "`./actors up --nodes 4` trains an agent from a third of the held-out tasks, or less, to 85 % and more in 5 minutes.",
  leavesOut: [
    "set-up: packages and builds are there before",
    "anything about larger models: this one has some 100,000 parameters, and runs on the CPU",
  ],

  async measure(report, { runs = defaultRuns }) {
    for (let seed = 1; seed <= runs; seed++) {
      report.progress(`seed ${seed} of ${runs}`);
      await run(seed, report);
    }
    report.remark(`seeds 1 to ${runs}; success is greedy, on the recipe's held-out tasks`);
    report.remark("tokens/s: sampled tokens of a training step over its time, the mean of all steps");
  },
};
export default bench;

async function run(seed: number, report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const started = performance.now();
    const child = spawn(join(root, "actors"), ["up", "--nodes", "4", "--seed", String(seed)], {
      cwd: dir,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: runMs,
    });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`the run with seed ${seed} ended with exit code ${code}`);
    report.add("whole command", "s", (performance.now() - started) / 1000);
    const latest = join(dir, "runs", "latest");
    const summary = JSON.parse(readFileSync(join(latest, "summary.json"), "utf8")) as RunSummary;
    report.add("training and evaluation", "s", summary.wallSeconds);
    report.add("held-out success before", "", summary.heldOut.before ?? Number.NaN);
    report.add("held-out success after", "", summary.heldOut.after ?? Number.NaN);
    report.add("episodes", "", summary.episodes);
    report.add("failed episodes", "", summary.failedEpisodes);
    report.add("tokens a second", "/s", meanRate(join(latest, "metrics.jsonl")));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function meanRate(metrics: string): number {
  const steps = readFileSync(metrics, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Partial<StepMetrics>)
    .filter((line) => line.tokensPerSecond !== undefined);
  return steps.reduce((sum, step) => sum + step.tokensPerSecond!, 0) / Math.max(1, steps.length);
}
