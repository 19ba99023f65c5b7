import { readFileSync } from "node:fs";
import { isMap, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { ActorsError } from "../../runtime/index.js";
import { suggest } from "../algorithms/suggest.js";
import { settingsThatClash } from "./clashes.js";
import { type Config, schema } from "./schema.js";

export interface ConfigSource {
  /** Path of the YAML file the document came from, to name lines. */
  file?: string | null;
  /** The same path as people should read it. */
  shown?: string | null;
}

/** What is wrong with one setting. */
export interface Problem {
  /** `trainer.seed`; empty where it is none in particular. */
  key: string;
  /** `file:line`, where the key stands in a file. */
  at: string | null;
  /** One sentence that names the key. */
  message: string;
}

export const sentence = ({ at, message }: Problem) => (at === null ? message : `${at}: ${message}`);

/**
 * The document with every default filled in.
 * @throws ActorsError INVALID_ARGUMENT: one sentence that names the key, the file and line, what was expected and what was given
 */
export function resolveConfig(document: unknown, source: ConfigSource = {}): Config {
  const parsed = schema.safeParse(document ?? {}, { reportInput: true });
  if (parsed.success && settingsThatClash(parsed.data).next().done) return parsed.data;
  throw new ActorsError("INVALID_ARGUMENT", sentence(problemsOf(document, source)[0]!));
}

/**
 * For settings that go over others, with which they may fit although they do not fit the defaults.
 * @throws ActorsError INVALID_ARGUMENT, as {@link resolveConfig}, for what is wrong whatever else is set
 */
export function checkPart(document: unknown, source: ConfigSource = {}): void {
  if (schema.safeParse(document ?? {}).success) return;
  throw new ActorsError("INVALID_ARGUMENT", sentence(problemsOf(document, source)[0]!));
}

/** All that is wrong in the settings themselves; what they name outside of themselves is not looked at. */
export function problemsOf(document: unknown, source: ConfigSource = {}): Problem[] {
  const given = document ?? {};
  const parsed = schema.safeParse(given, { reportInput: true });
  const found = parsed.success ? clashes(parsed.data) : parsed.error.issues.flatMap((issue) => describe(issue, given));
  return found.map(({ path, message }) => ({ key: path.join("."), at: where(path, source), message }));
}

/** Overrides win, section by section; lists are replaced whole. Neither argument is changed. */
export function mergeConfig<T>(base: T, overrides: unknown): T {
  if (!isPlain(base) || !isPlain(overrides)) return overrides === undefined ? base : (overrides as T);
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(overrides)) merged[key] = mergeConfig(merged[key], value);
  return merged as T;
}

/** @throws ActorsError INVALID_ARGUMENT for a file that cannot be read or is no YAML */
export function loadYaml(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  const document = parseDocument(text);
  const error = document.errors[0];
  if (!error) return document.toJS();
  const line = error.linePos?.[0].line ?? 0;
  throw new ActorsError(
    "INVALID_ARGUMENT",
    `${file}:${line}: ${error.message.split("\n")[0]!.replace(/ at line .*/, "")}`,
  );
}

function clashes(config: Config): Found[] {
  return [...settingsThatClash(config)].map(([key, message]) => ({ path: key.split("."), message }));
}

interface Found {
  path: string[];
  message: string;
}

function describe(issue: z.core.$ZodIssue, document: unknown): Found[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown key ${[...path, key].join(".")}${suggest(key, knownKeys(path))}`,
    }));
  }
  const key = path.join(".") || "the document";
  return [{ path, message: `${key} must be ${expectation(issue)}, not ${shown(valueAt(document, path))}` }];
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "object" || issue.expected === "record" ? "a section" : article(issue.expected);
    case "invalid_value":
      return `one of ${issue.values.join(", ")}`;
    case "too_small":
      return `${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
    case "custom":
      return issue.message;
    default:
      return `valid (${issue.message})`;
  }
}

const articles: Record<string, string> = {
  int: "an integer",
  array: "a list",
  tuple: "a list",
  boolean: "true or false",
};
const article = (type: string) => articles[type] ?? `a ${type}`;

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return `the text "${value}"`;
  return isPlain(value) ? "a section" : JSON.stringify(value);
}

/** `file:line` of the key, where there is a file. */
export function where(path: string[], { file, shown = file }: ConfigSource): string | null {
  if (!file) return null;
  const line = lineOf(file, path);
  return line ? `${shown}:${line}` : (shown ?? file);
}

function lineOf(file: string, path: string[]): number | undefined {
  try {
    const lines = new LineCounter();
    let node: unknown = parseDocument(readFileSync(file, "utf8"), { lineCounter: lines }).contents;
    let at: number | undefined;
    for (const key of path) {
      const pair = isMap(node) ? node.items.find((item) => String(item.key) === key) : undefined;
      if (!pair) return undefined; // given on the command line
      at = (pair.key as { range?: [number, number, number] }).range?.[0];
      node = pair.value;
    }
    return at === undefined ? undefined : lines.linePos(at).line;
  } catch {
    return undefined;
  }
}

function valueAt(document: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

/** Keys of the section at `path`, read off the defaults. */
function knownKeys(path: string[]): string[] {
  const section = valueAt(schema.parse({}), path);
  return isPlain(section) ? Object.keys(section) : [];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
