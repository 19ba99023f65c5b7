import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { ActorsError } from "../../runtime/index.js";
import { suggest } from "../algorithms/suggest.js";
import type { Config } from "../config/schema.js";
import { readRows } from "./files.js";
import type { RowPlace } from "./row.js";

export interface Fault {
  at: RowPlace;
  why: string;
}

/** What became of the rows of the files. */
export interface DataReport {
  read: number;
  kept: number;
  /** Rows by `data_source` and by `env_class`, of those kept. */
  sources: Record<string, number>;
  classes: Record<string, number>;
  malformed: Fault[];
  tooLong: Fault[];
}

export interface Item<T = unknown> {
  task: T;
  source: string;
  /** Of `data.curriculum.by`; 0 without one. */
  difficulty: number;
  /** Tells the question from others. */
  id: string;
}

export interface Rows<T> {
  items: Item<T>[];
  report: DataReport;
}

/** What becomes of a row: a task of so many tokens, or the sentence on what is wrong with it. */
export type ReadRow<T> = { item: Item<T>; environment: string; tokens: number } | { wrong: string };

export interface RowLimits {
  /** Of a row: of its prompt, where it is to be played. */
  maxTokens: number;
  /** Splits to take of a folder, the first that is there. */
  splits: readonly string[];
  baseDir: string;
}

/**
 * The tasks of all files, in their order, without those that cannot be used.
 * @throws ActorsError INVALID_ARGUMENT for rows that are malformed (unless they are to be dropped), and when none is left
 */
export async function loadRows<T>(
  key: "train_data" | "val_data",
  { data }: Config,
  readRow: (value: unknown) => ReadRow<T>,
  limits: RowLimits,
): Promise<Rows<T>> {
  const items: Item<T>[] = [];
  const report: DataReport = { read: 0, kept: 0, sources: {}, classes: {}, malformed: [], tooLong: [] };
  for (const path of data[key]) {
    for await (const raw of named(key, readRows(resolve(limits.baseDir, path), limits.splits))) {
      report.read++;
      const { at } = raw;
      const read = "wrong" in raw ? raw : readRow(raw.value);
      if ("wrong" in read) {
        report.malformed.push({ at, why: read.wrong });
        continue;
      }
      if (read.tokens > limits.maxTokens) {
        report.tooLong.push({ at, why: `${read.tokens} tokens, and ${limits.maxTokens} have room` });
        continue;
      }
      items.push(read.item);
      count(report.sources, read.item.source);
      count(report.classes, read.environment);
    }
  }
  report.kept = items.length;
  judge(key, data, report);
  return { items, report };
}

async function* named<R>(key: string, rows: AsyncIterable<R>): AsyncGenerator<R, void, undefined> {
  try {
    yield* rows;
  } catch (cause) {
    const { code, rawMessage, hint } = ActorsError.from(cause);
    throw new ActorsError(code, `data.${key}: ${rawMessage}`, { cause, hint });
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Tells a question from others. */
export const idOf = (question: unknown) => createHash("sha256").update(JSON.stringify(question)).digest("base64url");

/** @throws an Error that says so where the row has no number to order a curriculum by */
export function difficultyOf(info: Readonly<Record<string, unknown>>, by: string | null): number {
  if (by === null) return 0;
  const difficulty = info[by];
  if (typeof difficulty === "number") return difficulty;
  throw new Error(`extra_info.${by}: no number to order a curriculum by`);
}

function judge(key: string, data: Config["data"], report: DataReport): void {
  const { read, kept, malformed, tooLong } = report;
  if (malformed.length > 0 && data.malformed === "refuse") {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `data.${key}: ${malformed.length} of ${read} rows are malformed: ${some(malformed)}`,
      {
        hint: "Mend them, or leave them out with data.malformed=drop.",
      },
    );
  }
  if (kept > 0) return;
  const why = [...malformed, ...tooLong];
  throw new ActorsError(
    "INVALID_ARGUMENT",
    `data.${key}: none of ${read} rows can be used${why.length > 0 ? `: ${some(why)}` : ""}`,
  );
}

/** As people read it: the first few, and how many more. */
export function some(faults: readonly Fault[], most = 3): string {
  const shown = faults.slice(0, most).map(({ at, why }) => `${at}: ${why}`);
  const more = faults.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** Lines that tell what became of the rows. */
export function describeReport(
  key: string,
  { read, kept, sources, classes, malformed, tooLong }: DataReport,
): string[] {
  const listed = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, rows]) => `${name} ${rows}`)
      .join(", ");
  return [
    `data.${key}: ${kept} of ${read} rows (${listed(sources)})`,
    ...(Object.keys(classes).length > 1
      ? [`  of several env_class (${listed(classes)}), all played in one environment`]
      : []),
    ...(tooLong.length > 0 ? [`  ${tooLong.length} left out, too long: ${some(tooLong)}`] : []),
    ...(malformed.length > 0 ? [`  ${malformed.length} left out, malformed: ${some(malformed)}`] : []),
  ];
}

/** Of the tasks and their order: a run may only go on with the same. */
export function fingerprint(items: readonly Item[]): string {
  const hash = createHash("sha256");
  for (const { id, source } of items) hash.update(`${id} ${source}\n`);
  return hash.digest("hex").slice(0, 16);
}

/** Items by source, with the weight of each. @throws ActorsError INVALID_ARGUMENT for a weight without rows, or rows without a weight */
export function bySource<T>(
  items: readonly Item<T>[],
  mixture: Readonly<Record<string, number>>,
): { items: Item<T>[]; weight: number }[] {
  const found = new Map<string, Item<T>[]>();
  for (const item of items) {
    const same = found.get(item.source);
    if (same) same.push(item);
    else found.set(item.source, [item]);
  }
  const names = Object.keys(mixture);
  for (const name of names.filter((each) => !found.has(each))) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `data.mixture.${name}: no row has this data_source${suggest(name, found.keys())}`,
      {
        hint: `There are ${[...found.keys()].join(", ")}.`,
      },
    );
  }
  for (const [name, some] of found) {
    if (name in mixture) continue;
    throw new ActorsError("INVALID_ARGUMENT", `data.mixture says nothing of ${name}, which ${some.length} rows have`, {
      hint: "A weight of 0 leaves them out.",
    });
  }
  return names.map((name) => ({ items: found.get(name)!, weight: mixture[name]! })).filter(({ weight }) => weight > 0);
}
