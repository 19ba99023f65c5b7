import { client, server } from "./actors.js";
import type { Benchmark, Report } from "./harness.js";
import { quantile, startBench } from "./measure.js";
import { startRay } from "./ray.js";

const defaultRounds = 3;
const warmUpMs = 1_000;
const measureMs = 4_000;
const batch = 1_000;

/** Rows that both systems run; bench/latency.ray.py knows them by the same names. */
const rows = { alone: false, "beside a busy pair": true };

const bench: Benchmark = {
  claim: "The latency of a call stays low while other actors keep a core busy.",
  leavesOut: ["calls between hosts", "more busy actors than the machine has cores for"],

  async measure(report, { runs: rounds = defaultRounds }) {
    const { system, stop } = await startBench({ nodes: 2 });
    const ray = await startRay(report, "latency.ray.py");
    try {
      const spawnPair = async () => {
        const to = await system.spawn(server, { hosting: "process" });
        return system.spawn(client, { hosting: "process", args: [[to]] });
      };
      const [quiet, busy] = [await spawnPair(), await spawnPair()];
      report.remark(`a caller and an actor in processes of their own, one call in flight, for ${measureMs / 1000} s`);
      report.remark(`the busy pair: another two such, ${batch} calls in flight again and again`);
      await Promise.all([quiet.latencies(warmUpMs), busy.batch(batch)]);
      for (let round = 1; round <= rounds; round++) {
        for (const [row, isBusy] of Object.entries(rows)) {
          let measuring = true;
          const load = async () => {
            while (isBusy && measuring) await busy.batch(batch);
          };
          const loaded = load();
          const latencies = await quiet.latencies(measureMs);
          measuring = false;
          await loaded;
          add(report, `${row}, actors`, [...latencies]);
          if (ray) add(report, `${row}, Ray`, await ray.measure({ row, warmUpMs, measureMs, batch, isBusy }));
        }
        report.progress(`round ${round} of ${rounds}`);
      }
    } finally {
      await ray?.close();
      await stop();
    }
  },
};
export default bench;

function add(report: Report, row: string, microseconds: number[]): void {
  const sorted = microseconds.sort((a, b) => a - b);
  for (const [name, q] of [
    ["p50", 0.5],
    ["p99", 0.99],
    ["p99.9", 0.999],
  ] as const)
    report.add(`${name} ${row}`, "us", quantile(sorted, q));
}
