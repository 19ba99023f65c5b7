// How often something can be done, by us and by Ray, with the processor time it takes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterOptions, startCluster } from "../runtime/cluster/start.js";
import { readClusterFile } from "../runtime/cluster/state.js";
import type { ActorSystem } from "../runtime/index.js";
import { cpuSeconds, type Report } from "./harness.js";
import type { Ray } from "./ray.js";

export const firstWarmUpMs = 3_000; // code is compiled as it runs often enough
const warmUpMs = 500;
const measureMs = 2_000;

/** A way to make calls. @returns how many it made */
export type Work = () => Promise<number>;

/** A cluster for one benchmark, in a folder of its own. */
export interface Bench {
  system: ActorSystem;
  /** Of all its processes that are known now, this one first. */
  pids(): number[];
  stop(): Promise<void>;
}

export async function startBench(options: Omit<ClusterOptions, "stateDir">): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const cluster = await startCluster({ ...options, stateDir: dir });
  return {
    system: cluster.system,
    pids() {
      const { nodes, actors } = cluster.system.ps();
      const up = nodes.filter(({ state }) => state !== "dead");
      const all = [process.pid, ...readClusterFile(cluster.file).natsPids, ...up.map((n) => n.pid)];
      return [...new Set([...all, ...actors.map((a) => a.pid)])].filter((pid) => pid > 0);
    },
    async stop() {
      await cluster.stop("the benchmark ended");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @param pids whose processor time counts */
export async function ours(report: Report, row: string, work: Work, pids: number[]): Promise<void> {
  await repeat(work, warmUpMs);
  const cpu = cpuSeconds(pids);
  const { calls, seconds } = await repeat(work, measureMs);
  report.add(row, "/s", calls / seconds);
  report.add(`${row}, CPU a call`, "us", ((cpuSeconds(pids) - cpu) / calls) * 1e6);
}

/** @param order what the row needs to know beside */
export async function theirs(report: Report, row: string, ray: Ray | undefined, order: object): Promise<void> {
  if (!ray) return;
  const asked: { row: string } = { ...order, row, ...{ warmUpMs, measureMs } };
  const answer: { perSecond: number; cpuMicroseconds: number } = await ray.measure(asked);
  report.add(`${row}, Ray`, "/s", answer.perSecond);
  report.add(`${row}, Ray, CPU a call`, "us", answer.cpuMicroseconds);
}

export async function repeat(work: Work, ms: number): Promise<{ calls: number; seconds: number }> {
  const started = performance.now();
  let calls = 0;
  while (performance.now() - started < ms) calls += await work();
  return { calls, seconds: (performance.now() - started) / 1000 };
}

/** Milliseconds that it takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** What these processes hold of the memory, in MiB, pages that several share counted in parts. */
export function pssMib(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    try {
      return Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0; // it has ended
    }
  });
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Of a sorted list. */
export const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
