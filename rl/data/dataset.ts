import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { ActorsError } from "../../runtime/index.js";
import { suggest } from "../algorithms/suggest.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { readRows } from "./files.js";
import { parseRow, type RowPlace, type SkyRow } from "./row.js";

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

export interface Item {
  task: unknown;
  source: string;
  /** Of `data.curriculum.by`; 0 without one. */
  difficulty: number;
  /** Tells the question from others. */
  id: string;
}

export interface Rows {
  items: Item[];
  report: DataReport;
}

export interface RowLimits {
  /** Of a prompt. */
  maxPromptTokens: number;
  /** Splits to take of a folder, the first that is there. */
  splits: readonly string[];
  baseDir: string;
}

/**
 * The tasks of all files, in their order, without those that cannot be used.
 * @throws ActorsError INVALID_ARGUMENT for an environment that takes no rows, for rows that are malformed (unless they are to be
 * dropped), and when none is left
 */
export async function loadRows(
  key: "train_data" | "val_data",
  { data }: Config,
  def: EnvironmentDef,
  limits: RowLimits,
): Promise<Rows> {
  const { fromRow } = def;
  if (!fromRow) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `data.${key}: environment ${def.name} makes its own tasks and takes no rows`,
      {
        hint: "An environment that takes them has a method fromRow.",
      },
    );
  }
  const items: Item[] = [];
  const report: DataReport = { read: 0, kept: 0, sources: {}, classes: {}, malformed: [], tooLong: [] };
  for (const path of data[key]) {
    for await (const raw of readRows(resolve(limits.baseDir, path), limits.splits)) {
      report.read++;
      const { at } = raw;
      const read = "wrong" in raw ? raw : usable(raw.value, data.curriculum.by, fromRow);
      if ("wrong" in read) {
        report.malformed.push({ at, why: read.wrong });
        continue;
      }
      const tokens = def.tokenizer.encode(read.prompt).length;
      if (tokens > limits.maxPromptTokens) {
        report.tooLong.push({ at, why: `${tokens} tokens, and ${limits.maxPromptTokens} have room` });
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

function usable(
  value: unknown,
  by: string | null,
  fromRow: NonNullable<EnvironmentDef["fromRow"]>,
): { item: Item; environment: string; prompt: string } | { wrong: string } {
  const parsed = parseRow(value);
  if ("wrong" in parsed) return parsed;
  const { row } = parsed;
  const difficulty = by === null ? 0 : row.extra_info[by];
  if (typeof difficulty !== "number") return { wrong: `extra_info.${by}: no number to order a curriculum by` };
  try {
    const { task, prompt } = fromRow(row);
    const item = { task, source: row.data_source, difficulty, id: idOf(row) };
    return { item, environment: row.env_class, prompt };
  } catch (error) {
    return { wrong: error instanceof ActorsError ? error.rawMessage : (error as Error).message };
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

const idOf = ({ prompt, reward_spec }: SkyRow) =>
  createHash("sha256")
    .update(JSON.stringify([prompt, reward_spec.ground_truth]))
    .digest("base64url");

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
export function bySource(
  items: readonly Item[],
  mixture: Readonly<Record<string, number>>,
): { items: Item[]; weight: number }[] {
  const found = new Map<string, Item[]>();
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
