import { z } from "zod";

const message = z.object({ role: z.string(), content: z.string() });

export const skyRow = z.looseObject({
  data_source: z.string().default("unknown"),
  prompt: z.array(message).min(1),
  env_class: z.string().default(""),
  reward_spec: z.looseObject({ ground_truth: z.json() }),
  extra_info: z
    .record(z.string(), z.json())
    .nullish()
    .transform((info) => info ?? {}),
});

/** A turn of a conversation. */
export type Message = z.output<typeof message>;
/** A task row as SkyRL's datasets have it, with whatever other columns there are. */
export type SkyRow = z.output<typeof skyRow>;

/** Where a row stands, for people: `train.jsonl:3`, `train.parquet row 3`. */
export type RowPlace = string;

/** The row, or what is wrong with it: the column, and what was expected. */
export function parseRow(value: unknown): { row: SkyRow } | { wrong: string } {
  const parsed = skyRow.safeParse(value);
  if (parsed.success) return { row: parsed.data };
  const [issue] = parsed.error.issues;
  return { wrong: `${issue!.path.join(".") || "the row"}: ${issue!.message}` };
}

/** The last thing that the user says: the question, in data sets of one turn. */
export function questionOf({ prompt }: SkyRow): string {
  return (prompt.findLast(({ role }) => role === "user") ?? prompt.at(-1)!).content;
}
