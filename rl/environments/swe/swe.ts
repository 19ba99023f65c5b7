import type { EnvContext, EnvironmentDef } from "../environment.js";
import { seededRandom, shuffled } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { type Agent, promptOf as promptFor, type SweRef, type SweState, toolsFor } from "./agents.js";
import { gradeWork } from "./grade-work.js";
import { written } from "./ground.js";
import { expertOf, randomOf } from "./scripts.js";
import { readTask, type SweTask, taskNames } from "./task.js";
import { layOut, verifyTask } from "./verify-tasks.js";

export interface SweOptions {
  name: string;
  /** A folder of task folders, see `readTask`. Every fifth is held out. */
  folder: string;
  /** Default: codeact. */
  agent?: Agent;
  /** Default: 30. What is not handed in by then is not graded. */
  maxTurns?: number;
  /** Of one action, which may hold a whole file. Default: 4096. */
  maxActionTokens?: number;
  tokenizer?: EnvironmentDef["tokenizer"];
}

const heldOutOf = 5;
const randomTurns = 6;

/** Repositories with an open issue. The reward is 1 when it is resolved as SWE-bench has it, else 0; nothing on the way. */
export function sweEnvironment(options: SweOptions): EnvironmentDef<SweRef> {
  const { name, folder, agent = "codeact", maxTurns = 30, maxActionTokens = 4096, tokenizer } = options;
  const load = loaderOf(folder);
  const refs = once(() => taskNames(folder).map((id) => ({ instance_id: id })));
  const heldOut = once(() => refs().filter((_, i) => i % heldOutOf === 0));
  const train = once(() => refs().filter((_, i) => i % heldOutOf !== 0));
  const promptOf = (task: SweTask) => promptFor(task.problem_statement, task.language, written, agent);
  const taskOf = (prompt: string) =>
    refs()
      .map(load)
      .find((task) => prompt === promptOf(task));
  const def = toolEnvironment<SweRef, SweState>({
    ...{ name, maxTurns, maxActionTokens, sandbox: true, ...(tokenizer && { tokenizer }) },
    start: async (ref, context) => {
      await layOut(load(ref), context);
      return { history: {} };
    },
    prompt: (ref) => promptOf(load(ref)),
    tools: toolsFor(agent, written),
    evaluate: async ({ task, context }, done) => (done ? gradeWork(load(task), context) : { reward: 0, info: {} }),
    trainTask: (seed, index) => {
      const [round, at] = [Math.floor(index / train().length), index % train().length];
      return shuffled(train(), seededRandom(seed, round))[at]!;
    },
    heldOutTasks: () => [...heldOut()],
    expert: expertOf(agent, taskOf),
    random: randomOf(agent, randomTurns),
  });
  return { ...def, inspect: (contexts, told) => inspect(refs().map(load), contexts, told) };
}

/** Every task, one at a time in each sandbox. */
async function inspect(tasks: readonly SweTask[], contexts: readonly EnvContext[], told: (line: string) => void) {
  const problems: string[][] = [];
  const next = tasks.entries();
  let done = 0;
  const work = async (context: EnvContext) => {
    for (const [i, task] of next) {
      const found = await verifyTask(task, context);
      problems[i] = found.map((problem) => `${task.instance_id}: ${problem}`);
      told(`${++done} of ${tasks.length}   ${task.instance_id}   ${found[0] ?? "verified"}`);
    }
  };
  await Promise.all(contexts.map(work));
  return problems.flat();
}

function loaderOf(folder: string): (ref: SweRef) => SweTask {
  const tasks = new Map<string, SweTask>();
  return ({ instance_id: id }) => {
    const task = tasks.get(id) ?? readTask(`${folder}/${id}`);
    tasks.set(id, task);
    return task;
  };
}

function once<V>(make: () => V): () => V {
  let made: V | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
