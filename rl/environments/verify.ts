import { isDeepStrictEqual } from "node:util";
import { ActorsError } from "../../runtime/index.js";
import type { EnvContext, EnvironmentDef, Script } from "./environment.js";
import { type Played, play, stepOf } from "./play.js";
import { seededRandom } from "./random.js";

export interface Verified {
  /** Mean reward of an episode over the tasks; null where there is no such script. */
  expert: number | null;
  random: number | null;
  snapshot: boolean;
  /** What is wrong, a sentence each. */
  problems: string[];
}

/** Plays `count` held-out tasks with both scripts, and looks for what would spoil a training. `contexts` are for `inspect`. */
export async function verify(
  def: EnvironmentDef,
  count: number,
  context: EnvContext,
  told: (line: string) => void = () => {},
  contexts: readonly EnvContext[] = [context],
): Promise<Verified> {
  const tasks = def.heldOutTasks().slice(0, count);
  const problems = [...checkTasks(def, tasks), ...((await def.inspect?.(contexts, told)) ?? [])];
  const expert = def.expert ? await score(def, def.expert, tasks, context) : null;
  const random = def.random ? await score(def, def.random, tasks, context) : null;
  if (expert !== null && random !== null && !(expert > random))
    problems.push(`the expert's mean reward, ${expert}, is not above that of random actions, ${random}`);
  const script = def.expert ?? def.random;
  const task = tasks[0];
  if (!script || task === undefined) return { expert, random, snapshot: false, problems };
  const [first, again] = [await once(def, script, task, context), await once(def, script, task, context)];
  if (!isDeepStrictEqual(first, again)) problems.push("the same actions on the same task gave two different episodes");
  if (contradictsItself(def, first)) problems.push("a step neither counts nor ends as it should");
  const snapshot = def.create().snapshot !== undefined;
  if (snapshot && !(await branches(def, task, first, context)))
    problems.push("an episode that is restored from a snapshot goes on differently");
  return { expert, random, snapshot, problems };
}

/** Mean reward of an episode. */
async function score(def: EnvironmentDef, script: Script, tasks: readonly unknown[], context: EnvContext) {
  let sum = 0;
  for (const [i, task] of tasks.entries()) sum += (await play(def, task, script, seededRandom(0, i), context)).reward;
  return sum / tasks.length;
}

const once = (def: EnvironmentDef, script: Script, task: unknown, context: EnvContext) =>
  play(def, task, script, seededRandom(0), context);

function checkTasks(def: EnvironmentDef, held: readonly unknown[]): string[] {
  const problems: string[] = [];
  if (held.length === 0) problems.push("it has no held-out tasks");
  if (!isDeepStrictEqual(def.trainTask(1, 2), def.trainTask(1, 2)))
    problems.push("trainTask draws another task for the same seed and index");
  if (!isDeepStrictEqual(held, def.heldOutTasks().slice(0, held.length)))
    problems.push("heldOutTasks draws other tasks each time");
  for (const task of [def.trainTask(1, 2), ...held]) {
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(task)), task)) continue;
    problems.push("a task is no plain data: it does not survive JSON");
    break;
  }
  const seen = new Set(held.map((task) => JSON.stringify(task)));
  const train = Array.from({ length: 200 }, (_, i) => JSON.stringify(def.trainTask(i % 4, i)));
  if (train.some((task) => seen.has(task))) problems.push("a train task is a held-out one");
  return problems;
}

function contradictsItself(def: EnvironmentDef, { steps, turns }: Played): boolean {
  const wrong = steps.some(({ reward, info }) => ![reward, ...Object.values(info)].every(Number.isFinite));
  const ended = steps.at(-1);
  return wrong || turns.length > def.maxTurns || !(ended?.terminated || ended?.truncated);
}

/** Whether the second half, played from a snapshot of the middle in an environment of its own, is the same. */
async function branches(def: EnvironmentDef, task: unknown, played: Played, context: EnvContext): Promise<boolean> {
  const middle = Math.floor(played.turns.length / 2);
  const [env, branch] = [def.create(), def.create()];
  try {
    await env.reset(task, context);
    for (const { action } of played.turns.slice(0, middle)) await env.step(action, context);
    if (!env.snapshot || !branch.restore) throw new ActorsError("INVALID_ARGUMENT", "snapshot without restore");
    await branch.restore(JSON.parse(JSON.stringify(await env.snapshot())));
    for (const [i, { action }] of played.turns.slice(middle).entries()) {
      if (!isDeepStrictEqual(await stepOf(branch, action, context), played.steps[middle + i])) return false;
    }
    return true;
  } finally {
    await Promise.all([env.close(), branch.close()]);
  }
}
