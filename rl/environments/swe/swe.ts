import type { EnvContext, EnvironmentDef } from "../environment.js";
import { type AgentOptions, agentEnvironment, once } from "./agent-environment.js";
import type { SweRef } from "./agents.js";
import { gradeWork } from "./grade-work.js";
import { written } from "./ground.js";
import { readTask, type SweTask, taskNames } from "./task.js";
import { layOut, verifyTask } from "./verify-tasks.js";

export interface SweOptions extends AgentOptions {
  /** A folder of task folders, see `readTask`. Every fifth is held out. */
  folder: string;
}

/** Repositories with an open issue. The reward is 1 when it is resolved as SWE-bench has it, else 0; nothing on the way. */
export function sweEnvironment({ folder, ...options }: SweOptions): EnvironmentDef<SweRef> {
  const load = loaderOf(folder);
  const refs = once(() => taskNames(folder).map((id) => ({ instance_id: id })));
  const what = ({ language }: SweTask) => language;
  const def = agentEnvironment(options, { refs, load, what, ground: written, layOut, grade: gradeWork });
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
