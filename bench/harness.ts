// What every benchmark shares: repeated measurement, an honest table, or the same as JSON.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

/** Of the command line; each benchmark takes those that mean something to it. */
export interface Options {
  runs?: number;
  /** How long it goes on. */
  minutes?: number;
  /** Live actors up to which it goes. */
  most?: number;
  /** Nodes up to which it goes. */
  nodes?: number;
}

/** One claim a file: the default export of `bench/NAME.ts`. */
export interface Benchmark {
  /** One sentence that the figures support or refute. */
  claim: string;
  /** What the figures do not say. */
  leavesOut: string[];
  measure(report: Report, options: Options): Promise<void>;
}

/** One quantity, measured several times. */
export interface Row {
  name: string;
  /** `/s`, `us`, `s`, … */
  unit: string;
  samples: number[];
}

/** Collects rows and remarks; prints progress to stderr, so that stdout holds the result alone. */
export class Report {
  readonly rows: Row[] = [];
  readonly remarks: string[] = [];

  add(name: string, unit: string, sample: number): void {
    const row = this.rows.find((r) => r.name === name && r.unit === unit);
    if (row) row.samples.push(sample);
    else this.rows.push({ name, unit, samples: [sample] });
  }

  /** Something the reader must know, such as a peer that is not installed. */
  remark(text: string): void {
    this.remarks.push(text);
  }

  progress(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}

export interface Summary {
  median: number;
  min: number;
  max: number;
  runs: number;
}

export function summarise(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)!, runs: sorted.length };
}

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  os: string;
  node: string;
  /** Of the last minute, before the measurement: over 1 means that others were at work. */
  load: number;
  commit: string;
}

export function describeMachine(): Machine {
  const list = cpus();
  return {
    cpu: list[0]?.model.trim() ?? "unknown",
    cores: list.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()} ${arch()}`,
    node: process.version,
    load: Math.round(loadavg()[0]! * 10) / 10,
    commit: commit(),
  };
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
    return git("rev-parse", "--short=12", "HEAD") + (changed ? " with changes" : "");
  } catch {
    return "unknown";
  }
}

export const root = fileURLToPath(new URL("../..", import.meta.url));

export function renderText(name: string, bench: Benchmark, machine: Machine, report: Report): string {
  const table = [["", "median", "min", "max", "runs", "x peer"]];
  for (const row of report.rows) {
    const { median, min, max, runs } = summarise(row.samples);
    const ratio = ratioOf(row, report.rows);
    table.push([
      row.name,
      `${format(median)} ${row.unit}`,
      format(min),
      format(max),
      String(runs),
      ratio === undefined ? "" : format(ratio),
    ]);
  }
  const width = table[0]!.map((_, i) => Math.max(...table.map((cells) => cells[i]!.length)));
  const lines = table.map((cells) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(width[i]!) : cell.padStart(width[i]!)))
      .join("   ")
      .trimEnd(),
  );
  return [
    `${name}: ${bench.claim}`,
    `machine     ${machine.cores} x ${machine.cpu}, ${machine.memoryGb} GB, ${machine.os}, node ${machine.node}, load ${machine.load} before`,
    `commit      ${machine.commit}`,
    "",
    ...lines,
    "",
    ...report.remarks.map((text) => `note        ${text}`),
    ...bench.leavesOut.map((text) => `leaves out  ${text}`),
    "",
  ].join("\n");
}

/** How many times better than Ray's row of the same name a row of ours is; undefined where there is none to compare with. */
export function ratioOf(row: Row, rows: readonly Row[]): number | undefined {
  const peer = row.name.replace(/, actors[^,]*/, ", Ray");
  const other = rows.find((each) => each !== row && each.name === peer && each.unit === row.unit);
  if (!other) return undefined;
  const [mine, its] = [summarise(row.samples).median, summarise(other.samples).median];
  return row.unit.endsWith("/s") ? mine / its : its / mine;
}

export function renderJson(name: string, bench: Benchmark, machine: Machine, report: Report): string {
  const rows = report.rows.map((row) => ({
    ...row,
    ...summarise(row.samples),
    timesPeer: ratioOf(row, report.rows) ?? null,
  }));
  const { claim, leavesOut } = bench;
  return `${JSON.stringify({ name, claim, machine, rows, remarks: report.remarks, leavesOut }, null, 2)}\n`;
}

/** Three significant digits, thousands apart. */
export function format(n: number): string {
  return Number(n.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 3 });
}

/** CPU seconds that these processes have used so far, user and system; of those that ended, nothing. */
export function cpuSeconds(pids: readonly number[]): number {
  const ticksPerSecond = 100; // USER_HZ, which Linux fixes for /proc
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // it has ended
    }
  }
  return ticks / ticksPerSecond;
}
