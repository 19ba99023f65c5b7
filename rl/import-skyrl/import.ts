import { isAbsolute } from "node:path";
import { parse, parseDocument } from "yaml";
import { UsageError } from "../../runtime/cli/usage.js";
import { problemsOf } from "../config/load.js";
import { type Config, schema } from "../config/schema.js";
import { builtIn } from "../environments/built-in.js";
import { moved, skyDefaults, whyLeft } from "./map.js";
import { readScript } from "./shell.js";

export interface Imported {
  /** What differs from the defaults. */
  config: Record<string, unknown>;
  left: { key: string; value: unknown; why: string }[];
  /** What the user must still do. */
  notes: string[];
}

/** From a command line or script with overrides, or a YAML file. @throws UsageError when there is no setting in it */
export function importSkyRl(text: string, environment: Readonly<Record<string, string | undefined>>): Imported {
  const { given, notes, words } = readGiven(text, environment);
  if (given.size === 0) {
    throw new UsageError("there is no setting of SkyRL in it", {
      hint: "It takes a command with a.b=c, a script of one, or a YAML file.",
    });
  }
  for (const [key, value] of Object.entries(skyDefaults)) if (!given.has(key)) given.set(key, value);
  const left: Imported["left"] = [];
  const ours = new Map<string, unknown>([["recipe", "train"], ...modeOf(given, words)]);
  for (const [key, value] of given) {
    const move = moved[key];
    if (move) for (const [to, moved] of Object.entries(move(value, given))) ours.set(to, moved);
    else if (known.has(key)) ours.set(key, value);
    else left.push({ key, value, why: whyLeft(key) });
  }
  return { config: settle(ours, left, notes), left, notes };
}

/** One that is written as YAML has sections at its margin; anything else is a command. */
function readGiven(text: string, environment: Readonly<Record<string, string | undefined>>) {
  const given = new Map<string, unknown>();
  const notes: string[] = [];
  const document = /^(trainer|generator|data|environment):/m.test(text) ? parseDocument(text) : null;
  if (document) {
    const [error] = document.errors;
    if (error) throw new UsageError(`it is no YAML: ${error.message.split("\n")[0]}`);
    flatten(document.toJS(), "", given);
    for (const [key, value] of given) given.set(key, interpolate(value, given, environment, notes));
    return { given, notes, words: [] };
  }
  const { words, unknown } = readScript(text, environment);
  for (const word of words) {
    const [, key, value] = /^[+~]{0,2}((?:trainer|generator|data|environment)\.[\w.]+)=([\s\S]*)$/.exec(word) ?? [];
    if (key !== undefined) given.set(key, parsed(value!));
  }
  const used = unknown.filter((name) => JSON.stringify([...given.values()]).includes(name));
  if (used.length > 0) notes.push(`these variables have no value, and stand in it as they were: ${used.join(", ")}`);
  return { given, notes, words };
}

function flatten(value: unknown, path: string, into: Map<string, unknown>): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    into.set(path, value);
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    if (path !== "" || /^(trainer|generator|data|environment)$/.test(key))
      flatten(each, path === "" ? key : `${path}.${key}`, into);
  }
}

/** `${oc.env:NAME}` and `${another.key}`, as OmegaConf writes them. */
function interpolate(
  value: unknown,
  given: Map<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
  notes: string[],
): unknown {
  if (Array.isArray(value)) return value.map((each) => interpolate(each, given, environment, notes));
  if (typeof value !== "string") return value;
  return value.replace(
    /\$\{(?:oc\.env:(\w+)(?:,([^}]*))?|([\w.]+))\}/g,
    (all, name?: string, fallback?: string, key?: string) => {
      const found = name === undefined ? given.get(key!) : (environment[name] ?? fallback);
      if (found === undefined) notes.push(`${all} has no value, and stands in it as it was`);
      return found === undefined ? all : String(found);
    },
  );
}

function parsed(text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Which of SkyRL's trainers it is: each is a program of its own, and of one the command names the module. */
function modeOf(given: ReadonlyMap<string, unknown>, words: readonly string[]): [string, unknown][] {
  const module = words[words.indexOf("-m") + 1] ?? "";
  const fully = [...given.keys()].some((key) => key.startsWith("trainer.fully_async")) || /fully_async/.test(module);
  if (fully)
    return [
      ["trainer.mode", "async"],
      ["trainer.max_staleness_steps", 4],
    ];
  if (/async/.test(module))
    return [
      ["trainer.mode", "async"],
      ["trainer.max_staleness_steps", 1],
    ];
  return [["trainer.mode", "sync"]];
}

const defaults = schema.parse({}) as Config;
const known = (() => {
  const keys = new Map<string, unknown>();
  flatten(defaults, "", keys);
  return new Set(keys.keys());
})();

/** The settings as sections, without those that are refused (each is told) and those that are the default anyway. */
function settle(ours: Map<string, unknown>, left: Imported["left"], notes: string[]): Record<string, unknown> {
  const offPolicy = [...ours].some(
    ([key, value]) =>
      /off_policy_correction\.(tis_ratio_type|sequence_mask_metric|outlier)/.test(key) && value !== null,
  );
  if (offPolicy) ours.set("trainer.algorithm.old_logprobs", "learner"); // theirs always recomputes them
  for (let problems = problemsOf(nest(ours)); problems.length > 0; problems = problemsOf(nest(ours))) {
    const refused = problems.filter(({ key }) =>
      [...ours.keys()].some((each) => each === key || each.startsWith(`${key}.`)),
    );
    if (refused.length === 0) {
      notes.push(...problems.map(({ message }) => message));
      break;
    }
    for (const { key, message } of refused) {
      for (const each of [...ours.keys()].filter((name) => name === key || name.startsWith(`${key}.`))) {
        left.push({ key: each, value: ours.get(each), why: message });
        ours.delete(each);
      }
    }
  }
  notes.push(...advice(ours));
  const standard = new Map<string, unknown>();
  flatten(defaults, "", standard);
  const same = (key: string, value: unknown) => JSON.stringify(standard.get(key)) === JSON.stringify(value);
  return nest(new Map([...ours].filter(([key, value]) => key === "recipe" || !same(key, value))));
}

function* advice(ours: ReadonlyMap<string, unknown>): Generator<string> {
  const path = ours.get("trainer.policy.model.path");
  if (typeof path === "string" && !isAbsolute(path) && !path.startsWith(".")) {
    yield `trainer.policy.model.path: ${path} is a name on the Hugging Face hub: download it, and give its folder`;
  }
  if (!ours.has("data.train_data")) {
    yield "data.train_data: SkyRL would read ~/data/gsm8k/train.parquet; without rows the environment makes its tasks";
  }
  const environment = String(ours.get("environment.env_class"));
  if (!Object.hasOwn(builtIn, environment)) {
    yield `environment.env_class: there is no environment ${environment} here: write one (skyEnvironment takes SkyRL-gym's contract) and give ./module.js#name`;
  }
}

function nest(flat: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of flat) {
    const keys = path.split(".");
    let section = root;
    for (const key of keys.slice(0, -1)) {
      section[key] ??= {};
      section = section[key] as Record<string, unknown>;
    }
    section[keys.at(-1)!] = value;
  }
  return root;
}
