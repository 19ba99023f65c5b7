import { readFileSync } from "node:fs";
import type { z } from "zod";
import { ActorsError } from "../../runtime/index.js";

/** The rows of a JSONL file. @throws ActorsError INVALID_ARGUMENT naming the file, the line and the column that is wrong */
export function readJsonLines<R extends z.ZodType>(file: string, row: R): z.output<R>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, i) => (line.trim() === "" ? [] : [readRow(line, row, `${file}:${i + 1}`)]));
}

function readRow<R extends z.ZodType>(line: string, row: R, at: string): z.output<R> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `${at}: no JSON`, { cause });
  }
  const parsed = row.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ActorsError("INVALID_ARGUMENT", `${at}: ${issue!.path.join(".") || "the row"}: ${issue!.message}`);
}
