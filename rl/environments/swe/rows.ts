import { z } from "zod";
import { readJsonLines } from "../json-lines.js";
import { reversed } from "./reversed.js";

/** Published data sets whose rows are read, one JSON object a line. */
export const sweFormats = ["swe-bench", "swe-gym", "swe-smith", "r2e"] as const;
export type SweFormat = (typeof sweFormats)[number];

/** A row of any of them. */
export interface SweRow {
  format: SweFormat;
  instance_id: string;
  repo: string;
  /** Null where the image holds what is to be checked out, see `branch`. */
  base_commit: string | null;
  /** What to check out in the image before anything else; null: it is as it should be. */
  branch: string | null;
  problem_statement: string;
  hints_text: string;
  /** Where the repository lies ready, with all it needs. */
  image: string;
  /** Unified diff that resolves the issue; null where the row holds none. */
  patch: string | null;
  /** Diff that puts the hidden tests there; null where the image has them, or they are no secret. */
  test_patch: string | null;
  /** For `resolutionOf`; empty with r2e. */
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
  /** For `matchesR2e`; null with the others. */
  expected: Record<string, string> | null;
}

/** Lists come as lists, or as the JSON text of one. */
const ids = z.union([z.array(z.string()), z.string().transform(jsonOf(z.array(z.string())))]);
const statuses = z.union([
  z.record(z.string(), z.string()),
  z.string().transform(jsonOf(z.record(z.string(), z.string()))),
]);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

const common = { instance_id: z.string().min(1), problem_statement: z.string(), FAIL_TO_PASS: ids, PASS_TO_PASS: ids };
const bench = z.object({
  ...common,
  ...{ repo: z.string(), base_commit: z.string(), patch: z.string(), test_patch: z.string(), hints_text: text },
});

// https://github.com/SWE-bench/SWE-bench, swebench/image_builder: Docker Hub takes no two underscores in a row.
export const sweBenchImage = (id: string) =>
  `swebench/sweb.eval.x86_64.${id.replaceAll("__", "_1776_")}:latest`.toLowerCase();
// https://github.com/SWE-Gym/SWE-Gym: images of the fork of SWE-bench that it is evaluated with.
export const sweGymImage = (id: string) =>
  `xingyaoww/sweb.eval.x86_64.${id.replaceAll("__", "_s_")}:latest`.toLowerCase();

const benchRow = (format: "swe-bench" | "swe-gym", image: (id: string) => string) =>
  bench.transform((row): SweRow => ({ format, ...row, branch: null, image: image(row.instance_id), expected: null }));

/** Its patch makes the bug, on a branch named as the task: the reference is the reverse. The tests are those of the repository. */
const smithRow = z.object({ ...common, repo: z.string(), patch: z.string(), image_name: z.string().min(1) }).transform(
  ({ image_name: image, patch, ...row }): SweRow => ({
    ...{ format: "swe-smith", ...row, image, base_commit: null, branch: row.instance_id },
    ...{ patch: reversed(patch), test_patch: null, hints_text: "", expected: null },
  }),
);

/** The statement lies between marks; what it is to come out as is the status of every test. */
const r2eRow = z
  .object({
    ...{ repo_name: z.string(), docker_image: z.string().min(1), commit_hash: z.string() },
    ...{ problem_statement: z.string(), expected_output_json: statuses },
  })
  .transform(
    (row): SweRow => ({
      ...{ format: "r2e", instance_id: `${row.repo_name}__${row.commit_hash}`, repo: row.repo_name },
      ...{ base_commit: row.commit_hash, branch: null, image: row.docker_image, patch: null, test_patch: null },
      problem_statement:
        /\[ISSUE\]([\s\S]*)\[\/ISSUE\]/.exec(row.problem_statement)?.[1]?.trim() ?? row.problem_statement,
      ...{ hints_text: "", FAIL_TO_PASS: [], PASS_TO_PASS: [], expected: row.expected_output_json },
    }),
  );

const schemas = {
  "swe-bench": benchRow("swe-bench", sweBenchImage),
  "swe-gym": benchRow("swe-gym", sweGymImage),
  "swe-smith": smithRow,
  r2e: r2eRow,
} satisfies Record<SweFormat, z.ZodType<SweRow>>;

/** The rows of a JSONL file. @throws ActorsError INVALID_ARGUMENT naming the file, the line and the column that is wrong */
export function readSweRows(file: string, format: SweFormat): SweRow[] {
  return readJsonLines<z.ZodType<SweRow>>(file, schemas[format]);
}

function jsonOf<V extends z.ZodType>(schema: V) {
  return (value: string, context: z.RefinementCtx): z.output<V> => {
    try {
      return schema.parse(JSON.parse(value));
    } catch {
      context.addIssue("is not the JSON text of what belongs here");
      return z.NEVER;
    }
  };
}
