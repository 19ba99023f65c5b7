import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse, parseDocument } from "yaml";
import { serverCounts } from "../cluster/routes.js";
import { errnoText } from "../cluster/state.js";
import type { TlsFiles } from "../cluster/tls.js";
import { nearest } from "../core/nearest.js";
import type { Job } from "./job.js";
import { UsageError } from "./usage.js";

export const defaultFile = "actors.yaml";

const defaultNodes = 4;

export type Document = Record<string, unknown>;

export interface Loaded {
  document: Document;
  /** Absolute path, or null where there is no file. */
  file: string | null;
}

/** Reads the file named by -f, else actors.yaml of the folder, else nothing. @throws UsageError naming file and line */
export function loadConfig(named: string | undefined, cwd: string): Loaded {
  const file = resolve(cwd, named ?? defaultFile);
  if (named === undefined && !existsSync(file)) return { document: {}, file: null };
  const shown = named ?? defaultFile;
  const yaml = parseDocument(read(file, shown));
  const [error] = yaml.errors;
  if (error) {
    const at = error.linePos?.[0];
    const what = error.message.split("\n")[0]!.replace(/ at line \d+.*$/, "");
    throw new UsageError(`${shown}${at ? `:${at.line}:${at.col}` : ""}: not valid YAML: ${what}`, { cause: error });
  }
  const document: unknown = yaml.toJS();
  if (document === null) return { document: {}, file };
  if (!isSection(document)) throw new UsageError(`${shown} must hold settings by name, such as "recipe: quickstart"`);
  return { document, file };
}

function read(file: string, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const why = missing ? "there is no such file" : errnoText(cause);
    throw new UsageError(`cannot read ${shown}: ${why}`, { cause, hint: "-f takes the path of a YAML file." });
  }
}

/** `a.b=c` into the document, the value read as YAML. @throws UsageError */
export function applySetting(document: Document, setting: string): void {
  const [, path = "", text = ""] = /^([^=\s]+)=(.*)$/s.exec(setting) ?? [];
  const keys = path.split(".");
  if (keys.some((key) => !key)) {
    throw new UsageError(`--set takes KEY=VALUE, such as trainer.seed=7, not ${setting}`);
  }
  const last = keys.pop()!;
  let section = document;
  for (const [i, key] of keys.entries()) {
    if (Object.hasOwn(section, key) && section[key] !== null && !isSection(section[key])) {
      throw new UsageError(`--set ${setting}: ${keys.slice(0, i + 1).join(".")} is a value, not a section`);
    }
    section = (ownSection(section, key) ?? define(section, key, {})) as Document;
  }
  define(section, last, parseValue(setting, text));
}

function parseValue(setting: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (cause) {
    throw new UsageError(`--set ${setting}: the value is not valid YAML`, { cause, hint: "Quote it if it is a text." });
  }
}

const ownSection = (section: Document, key: string) => (Object.hasOwn(section, key) ? section[key] : null) ?? null;

/** Even for a key called __proto__. */
function define(section: Document, key: string, value: unknown): unknown {
  Object.defineProperty(section, key, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

/** The number of nodes that starts, written back so that the document tells the truth. @throws UsageError */
export function settleNodes(document: Document, flag: number | undefined): number {
  const cluster = document["cluster"] ?? {};
  if (!isSection(cluster)) throw new UsageError("cluster must be a section, such as cluster: { nodes: 4 }");
  const nodes = flag ?? cluster["nodes"] ?? defaultNodes;
  if (typeof nodes !== "number" || !Number.isInteger(nodes) || nodes < 1) {
    throw new UsageError(`cluster.nodes must be a whole number of at least 1, not ${JSON.stringify(nodes)}`);
  }
  if (flag !== undefined) document["cluster"] = { ...cluster, nodes };
  return nodes;
}

/** What `cluster.spares` says, if anything. @throws UsageError */
export function readSpares(document: Document): number | undefined {
  const { spares } = (document["cluster"] ?? {}) as Document; // a section, by `settleNodes`
  if (spares === undefined || (typeof spares === "number" && Number.isInteger(spares) && spares >= 0)) return spares;
  throw new UsageError(`cluster.spares must be a whole number of at least 0, not ${JSON.stringify(spares)}`);
}

/** What `cluster.tls` or --tls asks for. @throws UsageError */
export function readTls(
  { document, file }: Loaded,
  flag: boolean | undefined,
  cwd: string,
): true | TlsFiles | undefined {
  const { tls } = (document["cluster"] ?? {}) as Document;
  const from = file ? dirname(file) : cwd;
  if (isSection(tls)) {
    const { cert, key, ca, ...more } = tls;
    const path = (each: unknown) => (typeof each === "string" ? resolve(from, each) : undefined);
    const files = { cert: path(cert), key: path(key), ca: path(ca) };
    if (files.cert && files.key && files.ca && Object.keys(more).length === 0) return files as TlsFiles;
  } else if (tls === undefined || typeof tls === "boolean") return flag === true || tls === true ? true : undefined;
  throw new UsageError("cluster.tls must be true, or name three files: { cert: …, key: …, ca: … }");
}

/** How many nats-servers; `cluster.servers`, if nothing else says it. @throws UsageError */
export function readServers(document: Document, flag: number | undefined): number {
  const { servers = 1 } = (document["cluster"] ?? {}) as Document;
  const count = flag ?? servers;
  if (serverCounts.some((each) => each === count)) return count as number;
  const named = flag === undefined ? "cluster.servers" : "--servers";
  throw new UsageError(`${named} must be ${orList(serverCounts)}, not ${JSON.stringify(count)}`, {
    hint: "With 3 any one may be lost, with 5 any two; an even number stands no more losses than one less.",
  });
}

const orList = (all: readonly number[]) => `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;

/** The job that `recipe:` names, or the first. @throws UsageError */
export async function pickJob(jobs: readonly Job[], { document, file }: Loaded, cwd: string): Promise<Job> {
  const recipe = document["recipe"];
  const names = jobs.map(({ name }) => name);
  if (recipe === undefined && jobs[0]) return jobs[0];
  if (recipe === undefined)
    throw new UsageError("there is nothing to run", { hint: "`actors up --idle` starts the cluster alone." });
  if (typeof recipe === "string" && /^\.{0,2}\//.test(recipe)) return importJob(recipe, file ? dirname(file) : cwd);
  const job = jobs.find(({ name }) => name === recipe);
  if (job) return job;
  const guess = nearest(String(recipe), names);
  throw new UsageError(`there is no recipe ${JSON.stringify(recipe)}${guess ? `: did you mean ${guess}?` : ""}`, {
    hint: `Recipes: ${names.join(", ")}; or the path of a module, such as ./mine.js.`,
  });
}

async function importJob(recipe: string, from: string): Promise<Job> {
  const path = resolve(from, recipe);
  if (!existsSync(path)) throw new UsageError(`cannot load the recipe ${recipe}: there is no ${path}`);
  const { default: job } = (await import(pathToFileURL(path).href)) as { default?: Partial<Job> };
  if (typeof job?.run !== "function" || typeof job.name !== "string") {
    throw new UsageError(`the default export of ${recipe} is no job`, {
      hint: "A job is { name, describe, run(context) }.",
    });
  }
  return job as Job;
}

export function isSection(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
