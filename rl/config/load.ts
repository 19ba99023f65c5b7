import { readFileSync } from "node:fs";
import { isMap, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { ActorsError } from "../../runtime/index.js";
import { suggest } from "../algorithms/suggest.js";
import { type Config, schema } from "./schema.js";

export interface ConfigSource {
  /** Path of the YAML file the document came from, to name lines. */
  file?: string | null;
}

/**
 * The document with every default filled in.
 * @throws ActorsError INVALID_ARGUMENT: one sentence that names the key, the file and line, what was expected and what was given
 */
export function resolveConfig(document: unknown, source: ConfigSource = {}): Config {
  const given = document ?? {};
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return checkTogether(parsed.data);
  const issue = parsed.error.issues[0]!;
  throw new ActorsError("INVALID_ARGUMENT", describe(issue, given, source));
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

function checkTogether(config: Config): Config {
  const { algorithm, train_batch_size, policy_mini_batch_size, mode, spare_prompts } = config.trainer;
  if (mode === "async" && spare_prompts > 0) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `trainer.spare_prompts: ${spare_prompts} is for modes that wait for a step's own prompts; async waits for no slow one`,
    );
  }
  if (algorithm.advantage_estimator === "gae") {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      "trainer.algorithm.advantage_estimator: gae needs a critic, and the learner has none yet; reinforce++ and turn_level use token rewards without one",
    );
  }
  checkCorrections(algorithm);
  if (algorithm.use_kl_loss) {
    const why = algorithm.use_kl_in_reward
      ? "and use_kl_in_reward exclude each other: KL enters the reward or the loss, never both"
      : "is not there yet: the learner's loss has no reference; use_kl_in_reward takes the penalty from the reward";
    throw new ActorsError("INVALID_ARGUMENT", `trainer.algorithm.use_kl_loss ${why}`);
  }
  if (algorithm.dynamic_sampling.type !== null && config.generator.n_samples_per_prompt < 2) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      "trainer.algorithm.dynamic_sampling compares the samples of a prompt: generator.n_samples_per_prompt must be at least 2",
    );
  }
  const { len, max_len } = algorithm.overlong_buffer;
  if (len !== null && (max_len === null || len > max_len)) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `trainer.algorithm.overlong_buffer.len: ${len} needs a max_len of at least as much, not ${max_len}`,
    );
  }
  if (policy_mini_batch_size !== null && train_batch_size % policy_mini_batch_size !== 0) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `trainer.policy_mini_batch_size: ${policy_mini_batch_size} does not divide trainer.train_batch_size, which is ${train_batch_size}`,
    );
  }
  return config;
}

function checkCorrections({ off_policy_correction: c, old_logprobs }: Config["trainer"]["algorithm"]): void {
  const keys = [
    ...["outlier_token_is_threshold_low", "outlier_token_is_threshold_high"],
    ...["mask_type", "tis_ratio_type", "sequence_mask_metric"],
  ] as (keyof typeof c)[];
  const asked = keys.find((key) => c[key] !== null);
  const section = "trainer.algorithm.off_policy_correction";
  if (asked && old_logprobs !== "learner") {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `${section}.${asked} needs trainer.algorithm.old_logprobs: learner, for the ratio of rollout to rollout is always 1`,
    );
  }
  if (c.mask_type === "icepop" && c.tis_ratio_type !== null) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `${section}.mask_type: icepop weighs by the ratio already, and tis_ratio_type would do so again; mask_type: mis goes with it`,
    );
  }
  for (const [low, high] of [
    ["outlier_token_is_threshold_low", "outlier_token_is_threshold_high"],
    ["token_mask_is_threshold_low", "token_mask_is_threshold_high"],
    ["geo_mask_low", "geo_mask_high"],
  ] as const) {
    if (c[low] === null || c[high] === null || c[low] <= c[high]) continue;
    throw new ActorsError("INVALID_ARGUMENT", `${section}.${low}: ${c[low]} is above ${high}, which is ${c[high]}`);
  }
}

function describe(issue: z.core.$ZodIssue, document: unknown, { file }: ConfigSource): string {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0]!;
    return `${where([...path, key], file)}unknown key ${[...path, key].join(".")}${suggest(key, knownKeys(path))}`;
  }
  const key = path.join(".") || "the document";
  return `${where(path, file)}${key} must be ${expectation(issue)}, not ${shown(valueAt(document, path))}`;
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

/** `file:line: ` of the key, where there is a file. */
function where(path: string[], file: string | null | undefined): string {
  if (!file) return "";
  const line = lineOf(file, path);
  return line ? `${file}:${line}: ` : `${file}: `;
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
