import type { EnvContext, Evaluation } from "../environment.js";
import { changeOf, suspicionOf } from "./change.js";
import { grade } from "./grade.js";
import type { SweTask } from "./task.js";
import { readRepo } from "./workspace.js";

/** Takes the agent's change, empties the sandbox, and grades the change there. Reward 1 when the issue is resolved, else 0. */
export async function gradeWork(task: SweTask, context: EnvContext): Promise<Evaluation> {
  const change = changeOf(task.files, await readRepo(context));
  const graded = await grade(task, change, context);
  const { testsEdited, settingsEdited, suspiciousLines } = suspicionOf(task.files, change);
  const solved = Number(graded.resolved);
  const info = {
    solved,
    /** Shares of the tests of each list that pass. */
    fail_to_pass: graded.failToPass / task.FAIL_TO_PASS.length,
    pass_to_pass: graded.passToPass / Math.max(1, task.PASS_TO_PASS.length),
    files_changed: Object.keys(change).length,
    timed_out: Number(graded.timedOut),
    // Signs of reward hacking; the first makes the task unresolved, the others are for a person to look at.
    tampered: graded.tampered.length,
    tests_edited: testsEdited,
    settings_edited: settingsEdited,
    suspicious_lines: suspiciousLines,
  };
  return { reward: solved, info };
}
