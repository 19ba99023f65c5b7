import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";

/** Path and text (UTF-8). */
export type Files = Readonly<Record<string, string>>;

export const languages = ["javascript", "python"] as const;
export type Language = (typeof languages)[number];

const fields = z.strictObject({
  instance_id: z.string().regex(/^[a-z0-9_.-]+$/),
  repo: z.string(),
  base_commit: z.string().regex(/^[0-9a-f]{40}$/),
  version: z.string(),
  language: z.enum(languages),
  /** Kinds of bug, for statistics. */
  kinds: z.array(z.string()).min(1),
  problem_statement: z.string().min(80),
  hints_text: z.string(),
  /** Test ids: `path::name`, in Python `path::Class::method`. */
  FAIL_TO_PASS: z.array(z.string()).min(1),
  PASS_TO_PASS: z.array(z.string()),
  /** sha256 of the hidden test files, so that none is changed by accident. */
  tests_sha256: z.string(),
});

/** A task that lies in a folder of its own, with the fields of SWE-bench. */
export interface SweTask extends z.output<typeof fields> {
  /** What the agent gets. */
  files: Files;
  /** What it never sees: written over its tree before grading. */
  hidden: Files;
  /** Unified diff that resolves it: the reference. */
  patch: string;
  /** Plausible diffs that must not. */
  wrong: readonly string[];
}

/** The tasks that come with the package; this file runs from dist. */
export const bundledFolder = fileURLToPath(new URL("../../../../rl/environments/swe/tasks", import.meta.url));

/** Of a folder of task folders, by name. @throws ActorsError INVALID_ARGUMENT naming the file and what is wrong with it */
export function readTasks(folder: string): SweTask[] {
  return taskNames(folder).map((name) => readTask(join(folder, name)));
}

export function taskNames(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/**
 * `task.json`, `repo/` (what the agent gets), `hidden/` (the tests it never sees), `fix.patch`, `wrong-N.patch`.
 * @throws ActorsError INVALID_ARGUMENT naming the file and what is wrong with it
 */
export function readTask(folder: string): SweTask {
  const at = join(folder, "task.json");
  const parsed = fields.safeParse(JSON.parse(read(at)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ActorsError("INVALID_ARGUMENT", `${at}: ${issue!.path.join(".")}: ${issue!.message}`);
  }
  const hidden = readFiles(join(folder, "hidden"));
  if (parsed.data.tests_sha256 !== hashOf(hidden))
    throw new ActorsError("INVALID_ARGUMENT", `${at}: tests_sha256 is not that of ${join(folder, "hidden")}`);
  const wrong = readdirSync(folder).filter((name) => /^wrong-\d+\.patch$/.test(name));
  return {
    ...parsed.data,
    files: readFiles(join(folder, "repo")),
    hidden,
    patch: read(join(folder, "fix.patch")),
    wrong: wrong.sort().map((name) => read(join(folder, name))),
  };
}

export function hashOf(files: Files): string {
  const hash = createHash("sha256");
  for (const path of Object.keys(files).sort()) hash.update(`${path}\0${files[path]}\0`);
  return hash.digest("hex");
}

const read = (path: string) => readFileSync(path, "utf8");

function readFiles(folder: string): Files {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
  return Object.fromEntries(paths.map((path) => [path, read(join(folder, path))]));
}
