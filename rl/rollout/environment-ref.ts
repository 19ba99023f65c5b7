import { ActorsError } from "../../runtime/index.js";
import { suggest } from "../algorithms/suggest.js";
import { builtIn } from "../environments/built-in.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { gymnasium } from "../environments/gymnasium/index.js";
import { type Speech, speakAs } from "../tokenizers/speech.js";

/** How an environment is named between processes: by module, for its code cannot travel in a message. */
export interface EnvironmentRef {
  /** File URL of the module; null for a built-in one. */
  module: string | null;
  /** Name of the export, or of the built-in environment, or `gymnasium:` and an id of Gymnasium's. */
  name: string;
  /** Whose tokens it is played in. Default: its own. */
  speech?: Speech | null;
}

const defined = new Map<string, EnvironmentDef>();

/**
 * Makes an environment known under `module#name`, so that a program can train on one of its own modules while that module still runs:
 * importing it again would wait for itself. `module` is its `import.meta.url`.
 */
export function defineEnvironment<T>(module: string, def: EnvironmentDef<T>): EnvironmentDef<T> {
  defined.set(`${module}#${def.name}`, def as EnvironmentDef);
  return def;
}

const ofGymnasium = "gymnasium:";

/** `quickstart`, `gymnasium:CartPole-v1`, or `./module.js#export` (default: `default`), a path from `baseUrl`. */
export function parseEnvironmentRef(text: string, baseUrl: string): EnvironmentRef {
  if (!/^[./]|^file:/.test(text)) return { module: null, name: text };
  const [path, name = "default"] = text.split("#");
  return { module: new URL(path!, baseUrl).href, name };
}

/**
 * @throws ActorsError NOT_FOUND for a name or an export that does not exist, INVALID_ARGUMENT for what is no EnvironmentDef, or a
 * tokenizer that cannot be used
 */
export async function loadEnvironment({ speech = null, ...ref }: EnvironmentRef): Promise<EnvironmentDef> {
  const def = await find(ref);
  return speech === null ? def : speakAs(def, speech);
}

async function find({ module, name }: EnvironmentRef): Promise<EnvironmentDef> {
  if (module === null) {
    if (Object.hasOwn(builtIn, name)) return builtIn[name]!;
    if (name.startsWith(ofGymnasium))
      return (await gymnasium({ id: name.slice(ofGymnasium.length) })) as EnvironmentDef;
    throw new ActorsError("NOT_FOUND", `no environment is named ${name}${suggest(name, Object.keys(builtIn))}`, {
      hint: "Name a built-in one, one of Gymnasium's (gymnasium:CartPole-v1), or a module: ./my-environment.js#name.",
    });
  }
  const known = defined.get(`${module}#${name}`);
  if (known) return known;
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(module)) as Record<string, unknown>;
  } catch (cause) {
    throw new ActorsError("NOT_FOUND", `cannot load the environment ${module}: ${(cause as Error).message}`, { cause });
  }
  const found = loaded[name] ?? defined.get(`${module}#${name}`);
  if (isDefinition(found)) return found;
  throw new ActorsError(
    found === undefined ? "NOT_FOUND" : "INVALID_ARGUMENT",
    `${module} has no export ${name} that is an EnvironmentDef`,
    { hint: `It exports ${Object.keys(loaded).join(", ") || "nothing"}.` },
  );
}

function isDefinition(value: unknown): value is EnvironmentDef {
  const def = value as Partial<EnvironmentDef> | undefined;
  return typeof def?.create === "function" && typeof def.trainTask === "function" && def.tokenizer !== undefined;
}
