import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { columns } from "../../runtime/cli/text.js";
import { UsageError } from "../../runtime/cli/usage.js";
import { ActorsError, makeLogger } from "../../runtime/index.js";
import { builtIn } from "../environments/built-in.js";
import type { EnvContext, EnvironmentDef, Script, StepResult } from "../environments/environment.js";
import { stepOf } from "../environments/play.js";
import { seededRandom } from "../environments/random.js";
import { type Verified, verify } from "../environments/verify.js";
import { loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";
import type { Image } from "../sandbox/backend.js";
import { LazySandbox } from "../sandbox/lazy.js";
import { SandboxPool } from "../sandbox/pool.js";
import { chooseBackend } from "../sandbox/probe.js";
import { defaultLimits } from "../sandbox/session.js";

export interface Listed {
  name: string;
  maxTurns: number;
  heldOutTasks: number;
  tools: string[];
}

export function listEnvironments(): Listed[] {
  return Object.values(builtIn).map((def) => ({
    name: def.name,
    maxTurns: def.maxTurns,
    heldOutTasks: def.heldOutTasks().length,
    tools: (def.tools ?? []).map((tool) => tool.function.name),
  }));
}

export function renderList(all: readonly Listed[]): string[] {
  const rows = all.map((e) => [e.name, String(e.maxTurns), String(e.heldOutTasks), e.tools.join(" ")]);
  return columns([["NAME", "TURNS", "HELD OUT", "TOOLS"], ...rows]);
}

export interface RunEpisode {
  /** expert, random or hand. */
  by: string;
  task: number;
  seed: number;
  json?: boolean;
}

/** Plays an episode and prints it as it goes; with `json`, a line a step. @throws UsageError for a player or task there is not */
export async function runEpisode(
  name: string,
  baseUrl: string,
  { by, task: index, seed, json = false }: RunEpisode,
  stdin: Readable,
  print: (line: string) => void,
): Promise<void> {
  const def = await loadEnvironment(parseEnvironmentRef(name, baseUrl));
  const tasks = def.heldOutTasks();
  if (index >= tasks.length)
    throw new UsageError(`${def.name} has ${tasks.length} held-out tasks: --task is below that`);
  const player = playerOf(def, by, seed, stdin);
  const play = async ([context]: EnvContext[]) => {
    const env = def.create();
    try {
      const prompt = await env.reset(tasks[index], context!);
      const next = player(prompt);
      print(json ? JSON.stringify({ prompt, tools: def.tools ?? [] }) : prompt);
      let reward = 0;
      let observation = "";
      let last: StepResult | undefined;
      while (!last?.terminated && !last?.truncated) {
        const action = await next(observation);
        if (action === undefined) throw new ActorsError("CANCELLED", "the input ended before the episode did");
        last = await stepOf(env, action, context!);
        observation = last.observation;
        reward += last.reward;
        print(json ? JSON.stringify({ action, ...last }) : `> ${action}\n${observation}`.trimEnd());
      }
      const info = Object.entries(last.info).map(([key, value]) => `   ${key} ${value}`);
      if (!json) print(`${last.terminated ? "ended" : "out of turns"}   reward ${reward}${info.join("")}`);
    } finally {
      await env.close();
    }
  };
  await withSandboxes(1, play, def.image?.(tasks[index]));
}

type Next = (observation: string) => Promise<string | undefined>;

/** Who plays. @throws UsageError naming who could */
function playerOf(def: EnvironmentDef, by: string, seed: number, stdin: Readable): (prompt: string) => Next {
  if (by === "hand") return () => byHand(stdin);
  const script = ({ expert: def.expert, random: def.random } as Record<string, Script | undefined>)[by];
  if (script) return (prompt) => byScript(script(prompt, seededRandom(seed)));
  const there = [...(def.expert ? ["expert"] : []), ...(def.random ? ["random"] : []), "hand"];
  throw new UsageError(`${def.name} cannot be played by ${by}`, { hint: `--by takes ${there.join(", ")}.` });
}

function byScript(script: ReturnType<Script>): Next {
  let began = false;
  return async (observation) => {
    const { value, done } = began ? script.next(observation) : script.next();
    began = true;
    return done ? undefined : (value as string);
  };
}

function byHand(stdin: Readable): Next {
  const lines = createInterface({ input: stdin })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    return done ? undefined : (value as string);
  };
}

/** `told` hears how far it is, where an environment has many tasks to look at. */
export async function verifyEnvironment(
  name: string,
  baseUrl: string,
  tasks: number,
  told: (line: string) => void,
): Promise<Verified> {
  const def = await loadEnvironment(parseEnvironmentRef(name, baseUrl));
  if (def.image)
    throw new UsageError(`${def.name} cannot be verified: each of its tasks has an image`, {
      hint: "Play its tasks: actors gym run --by expert --task N.",
    });
  return withSandboxes(def.inspect ? availableParallelism() : 1, (contexts) =>
    verify(def, tasks, contexts[0]!, told, contexts),
  );
}

export function renderVerified(name: string, { expert, random, snapshot, problems }: Verified): string[] {
  const shown = (score: number | null) => score?.toFixed(3) ?? "none";
  const found = `${name}   expert ${shown(expert)}   random ${shown(random)}   snapshot ${snapshot ? "yes" : "no"}`;
  return [found, ...problems.map((problem) => `  ${problem}`)];
}

export const notVerified = (name: string, { problems }: Verified) =>
  new ActorsError("INVALID_ARGUMENT", `${name} is not fit to be trained on: ${problems[0]}`);

/** A sandbox that is started when the environment first asks for one. */
export const withSandbox = <T>(work: (context: EnvContext) => Promise<T>, image?: Image): Promise<T> =>
  withSandboxes(1, ([context]) => work(context!), image);

/** The same for several. */
async function withSandboxes<T>(
  count: number,
  work: (contexts: EnvContext[]) => Promise<T>,
  image: Image | null = null,
): Promise<T> {
  const size = image ? 2 * count : count; // beside the agent's there is one to judge in

  const closing: (() => Promise<void>)[] = [];
  let opening: Promise<SandboxPool> | undefined;
  const open = async () => {
    const log = makeLogger("gym", "warn");
    const { backend } = await chooseBackend({ image, pull: "missing" }, defaultLimits, log);
    const pool = new SandboxPool({ backend, limits: defaultLimits, size, image, log });
    closing.push(() => pool.close());
    await pool.start();
    return pool;
  };
  const acquire = async () => {
    opening ??= open();
    return (await opening).acquire();
  };
  const contexts = Array.from(
    { length: count },
    (_, i): EnvContext => ({ sandbox: new LazySandbox(`gym ${i}`, acquire), signal: new AbortController().signal }),
  );
  try {
    return await work(contexts);
  } finally {
    await Promise.all(closing.map((close) => close()));
  }
}
