import type { EnvContext } from "../environment.js";
import { type Change, changeOf, countsFor } from "./change.js";
import { grade } from "./grade.js";
import type { Language, SweTask } from "./task.js";
import { bash, commitAll, type Program, readRepo, renew, repoRoot } from "./workspace.js";

const applyMs = 20_000;
const programOf: Record<Language, Program> = { javascript: "node", python: "python3" };

/** What is wrong with a task, a sentence each: all of it is tried in real sandboxes, by the way that an agent's work takes. */
export async function verifyTask(task: SweTask, context: EnvContext): Promise<string[]> {
  const problems: string[] = [];
  const commit = await layOut(task, context);
  if (commit !== task.base_commit) problems.push(`base_commit is ${task.base_commit}, the repository's is ${commit}`);
  const before = await grade(task, {}, context);
  for (const id of task.FAIL_TO_PASS) if (before.statuses[id] === "PASSED") problems.push(`${id} passes without a fix`);
  for (const id of task.PASS_TO_PASS)
    if (before.statuses[id] !== "PASSED") problems.push(`${id} does not pass before the fix`);
  const fixed = await patched(task, task.patch, context);
  if (typeof fixed === "string") return [...problems, `fix.patch: ${fixed}`];
  if (Object.keys(countsFor(fixed)).length !== Object.keys(fixed).length)
    problems.push("fix.patch changes tests or settings, which are not graded");
  const after = await grade(task, fixed, context);
  if (!after.resolved) problems.push(`fix.patch does not resolve it: ${JSON.stringify(after.why)}`);
  const expected = new Set([...task.FAIL_TO_PASS, ...task.PASS_TO_PASS]);
  for (const id of Object.keys(after.statuses)) if (!expected.has(id)) problems.push(`${id} is in neither list`);
  if (task.wrong.length < 3) problems.push(`it has ${task.wrong.length} wrong fixes, not 3`);
  for (const [i, patch] of task.wrong.entries()) {
    const change = await patched(task, patch, context);
    if (typeof change === "string") problems.push(`wrong-${i + 1}.patch: ${change}`);
    else if ((await grade(task, change, context, true)).resolved) problems.push(`wrong-${i + 1}.patch is not caught`);
  }
  return problems;
}

/** The repository as an agent finds it, in an emptied sandbox. Gives its commit. */
export async function layOut(task: SweTask, context: EnvContext): Promise<string> {
  await renew(below(task), context);
  return commitAll(programOf[task.language], context);
}

const below = ({ files }: SweTask) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`repo/${path}`, text]));

/** The change a diff makes, or why it makes none. */
async function patched(task: SweTask, patch: string, context: EnvContext): Promise<Change | string> {
  await renew(below(task), context);
  const { exitCode, stderr } = await bash(`cd ${repoRoot} && git apply -`, context, applyMs, patch);
  if (exitCode !== 0) return `it does not apply: ${stderr.trim()}`;
  const change = changeOf(task.files, await readRepo(context));
  return Object.keys(change).length > 0 ? change : "it changes nothing";
}
