import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ActorsError } from "../../runtime/index.js";
import type { RowPlace } from "./row.js";

/** A row as the file has it, or why it cannot be read. */
export type RawRow = { at: RowPlace; value: unknown } | { at: RowPlace; wrong: string };

type Reader = (file: string) => AsyncGenerator<RawRow, void, undefined>;

const readers: readonly [ending: RegExp, read: Reader][] = [
  [/\.parquet$/, parquet],
  [/\.jsonl(\.gz)?$/, jsonLines],
  [/\.json$/, json],
];

const readerOf = (file: string) => readers.find(([ending]) => ending.test(file))?.[1];

/**
 * The rows of a file (Parquet, JSON lines, a JSON list) or of one split of a folder of such files, as `folder:split`.
 * @param split of a folder that is named without one: the first of these that it has
 * @throws ActorsError INVALID_ARGUMENT naming what is missing or is no data
 */
export async function* readRows(path: string, split: readonly string[]): AsyncGenerator<RawRow, void, undefined> {
  for (const file of await filesOf(path, split)) {
    try {
      yield* readerOf(file)!(file);
    } catch (cause) {
      if (cause instanceof ActorsError) throw cause;
      throw new ActorsError("INVALID_ARGUMENT", `cannot read ${file}: ${(cause as Error).message}`, { cause });
    }
  }
}

/** The data files that a path stands for, in the order of their names. */
export async function filesOf(path: string, splits: readonly string[]): Promise<string[]> {
  const whole = await kindOf(path);
  const [, folder = path, named] = whole === null ? (/^(.*):([\w-]+)$/.exec(path) ?? []) : [];
  const kind = whole ?? (await kindOf(folder));
  if (kind === null) throw new ActorsError("INVALID_ARGUMENT", `there is no ${folder}`);
  if (kind === "folder") return splitOf(folder, named === undefined ? splits : [named]);
  if (readerOf(folder)) return [folder];
  throw new ActorsError(
    "INVALID_ARGUMENT",
    `${folder} is no data: it must end in .parquet, .jsonl, .jsonl.gz or .json`,
  );
}

async function kindOf(path: string): Promise<"file" | "folder" | null> {
  const found = await stat(path).catch(() => null);
  return found && (found.isDirectory() ? "folder" : "file");
}

/** The words by which Hugging Face finds the split in the name of a file or of its folder. */
const words: Readonly<Record<string, readonly string[]>> = {
  train: ["train", "training"],
  validation: ["validation", "valid", "val", "dev"],
  test: ["test", "testing", "eval", "evaluation"],
};

async function splitOf(folder: string, splits: readonly string[]): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => !/(^|\/)\./.test(name)).sort();
  const files = names.filter((name) => readerOf(name));
  if (files.length === 0) {
    const saved = names.some((name) => name.endsWith(".arrow"));
    throw new ActorsError("INVALID_ARGUMENT", `${folder} holds no .parquet, .jsonl or .json file`, {
      hint: saved ? "It was written by save_to_disk: write it with to_parquet or to_json instead." : undefined,
    });
  }
  for (const split of splits) {
    const word = (words[split] ?? [split]).join("|");
    const found = files.filter((name) => new RegExp(`(^|[-._/])(${word})([-._/]|$)`).test(name));
    if (found.length > 0) return found.map((name) => join(folder, name));
  }
  throw new ActorsError("INVALID_ARGUMENT", `${folder} has no split ${splits.join(" or ")}`, {
    hint: `It holds ${files.slice(0, 5).join(", ")}.`,
  });
}

async function* parquet(file: string): AsyncGenerator<RawRow, void, undefined> {
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  const buffer = await asyncBufferFromFile(file);
  const metadata = await parquetMetadataAsync(buffer);
  let first = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = first + Number(group.num_rows);
    const at = { rowStart: first, rowEnd };
    const rows = await parquetReadObjects({ file: buffer, metadata, compressors, utf8: false, ...at });
    for (const [i, row] of rows.entries()) yield { at: `${basename(file)} row ${first + i + 1}`, value: plain(row) };
    first = rowEnd;
  }
}

/** As JSON would have it: 64-bit integers and dates become numbers and texts; what has no such form is left out. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value) || value === undefined) return undefined;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const kept = plain(each);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

async function* jsonLines(file: string): AsyncGenerator<RawRow, void, undefined> {
  let number = 0;
  for await (const line of lines(file)) {
    number++;
    if (line.trim() !== "") yield fromJson(line, `${basename(file)}:${number}`);
  }
}

/** Not by readline, whose iterator ends without a word when its input fails. */
async function* lines(file: string): AsyncGenerator<string, void, undefined> {
  const bytes = createReadStream(file);
  // The error of either comes out of the loop below.
  const input: Readable = file.endsWith(".gz") ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  let rest = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest !== "") yield rest;
}

async function* json(file: string): AsyncGenerator<RawRow, void, undefined> {
  const list: unknown = JSON.parse(await readFile(file, "utf8"));
  if (!Array.isArray(list)) {
    throw new ActorsError("INVALID_ARGUMENT", `${file} holds no list of rows`, {
      hint: "A file of a row a line is .jsonl.",
    });
  }
  for (const [i, value] of list.entries()) yield { at: `${basename(file)} row ${i + 1}`, value };
}

function fromJson(text: string, at: RowPlace): RawRow {
  try {
    return { at, value: JSON.parse(text) as unknown };
  } catch {
    return { at, wrong: "no JSON" };
  }
}
