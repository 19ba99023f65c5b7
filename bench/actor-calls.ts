import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../runtime/cluster/start.js";
import { readClusterFile } from "../runtime/cluster/state.js";
import { localSystem } from "../runtime/index.js";
import { type Client, client, inFlight, server } from "./actors.js";
import { type Benchmark, cpuSeconds, type Report } from "./harness.js";
import { type Ray, startRay } from "./ray.js";

const defaultRounds = 5;
const firstWarmUpMs = 3_000; // code is compiled as it runs often enough
const warmUpMs = 500;
const measureMs = 2_000;
const batch = 1_000;
const clients = 4;
const servers = 4;

/** Rows that both systems run; bench/actor-calls.ray.py knows them by the same names. */
const shared = {
  "1:1 sync": "one caller, one actor, one call in flight",
  "1:1 async": `one caller, one actor, ${batch} calls in flight`,
  "n:n async": `${clients} calling actors, ${servers} called ones, ${batch} calls in flight each`,
};

type Row = keyof typeof shared;

/** A way to make calls. @returns how many it made */
type Work = () => Promise<number>;

const bench: Benchmark = {
  claim: "Calls between actors in processes of their own, on one host, are faster and cheaper than Ray's.",
  leavesOut: [
    "calls between hosts, large arguments, streams, latency under load",
    "what a handler of real use does: these return two letters",
    "Ray's compiled graphs, which need a static topology",
  ],

  async measure(report, { runs: rounds = defaultRounds }) {
    const ways = [await startWay("actors", true), await startWay("actors by NATS", false)];
    const local = await localSystem();
    const ray = await startRay(report, "actor-calls.ray.py");
    try {
      for (const [row, text] of Object.entries(shared)) report.remark(`${row}: ${text}`);
      report.remark("actors: over direct links; actors by NATS: the same with ACTORS_DIRECT=0");
      for (const { works } of ways) for (const work of Object.values(works)) await repeat(work, firstWarmUpMs);
      // A B A B: whatever else the machine does, it does to all.
      for (let round = 1; round <= rounds; round++) {
        for (const row of Object.keys(shared) as Row[]) {
          for (const { name, works, pids } of ways) await ours(report, `${row}, ${name}`, works[row], pids());
          await theirs(report, row, ray);
        }
        report.progress(`round ${round} of ${rounds}`);
      }
      for (const hosting of ["thread", "inline"] as const) {
        const near = await local.spawn(server, { hosting });
        await repeat(() => inSequence(near), firstWarmUpMs);
        for (let round = 1; round <= rounds; round++) {
          await ours(report, `1:1 sync, ${hosting}, actors`, () => inSequence(near), [process.pid]);
          await ours(report, `1:1 async, ${hosting}, actors`, () => inFlight([near], batch).then(() => batch), [
            process.pid,
          ]);
        }
      }
      report.remark("thread, inline: actors in the caller's own process, without NATS; no like of Ray's beside them");
    } finally {
      await ray?.close();
      await local.close();
      for (const { stop } of ways) await stop();
    }
  },
};
export default bench;

/** A cluster with actors that call each other in one of the two ways there are between processes of a host. */
async function startWay(name: string, direct: boolean) {
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  process.env["ACTORS_DIRECT"] = direct ? "1" : "0"; // this process, and those it starts
  const cluster = await startCluster({ nodes: 2, stateDir: dir });
  const { system } = cluster;
  const called = await system.spawnGroup(server, servers, { hosting: "process" });
  const args: ConstructorParameters<typeof Client> = [[...called]];
  const calling = await system.spawnGroup(client, clients, { hosting: "process", args: () => args });
  const one = called[0]!;
  const works: Record<Row, Work> = {
    "1:1 sync": () => inSequence(one),
    "1:1 async": () => inFlight([one], batch).then(() => batch),
    "n:n async": () => calling.batch.all(batch).then(() => clients * batch),
  };
  return {
    name,
    works,
    pids() {
      const { nodes, actors } = system.ps();
      const { natsPid } = readClusterFile(cluster.file);
      return [process.pid, natsPid, ...nodes.map((n) => n.pid), ...actors.map((a) => a.pid)];
    },
    async stop() {
      await cluster.stop("the benchmark ended");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function inSequence(one: { value(): Promise<string> }): Promise<number> {
  const calls = 100;
  for (let i = 0; i < calls; i++) await one.value();
  return calls;
}

async function ours(report: Report, row: string, work: Work, pids: number[]): Promise<void> {
  await repeat(work, warmUpMs);
  const cpu = cpuSeconds(pids);
  const { calls, seconds } = await repeat(work, measureMs);
  report.add(row, "/s", calls / seconds);
  report.add(`${row}, CPU a call`, "us", ((cpuSeconds(pids) - cpu) / calls) * 1e6);
}

async function theirs(report: Report, row: string, ray: Ray | undefined): Promise<void> {
  if (!ray) return;
  const order = { row, warmUpMs, measureMs, batch, clients, servers };
  const { perSecond, cpuMicroseconds }: { perSecond: number; cpuMicroseconds: number } = await ray.measure(order);
  report.add(`${row}, Ray`, "/s", perSecond);
  report.add(`${row}, Ray, CPU a call`, "us", cpuMicroseconds);
}

async function repeat(work: Work, ms: number): Promise<{ calls: number; seconds: number }> {
  const started = performance.now();
  let calls = 0;
  while (performance.now() - started < ms) calls += await work();
  return { calls, seconds: (performance.now() - started) / 1000 };
}
