import { ActorsError } from "../../../runtime/index.js";
import type { OpResult } from "../../sandbox/session.js";
import type { EnvContext, Environment, StepResult } from "../environment.js";
import { grade, runCheck, workspace, writeConf } from "./check.js";
import { type QuickstartTask, ticket } from "./task.js";
import { settings } from "./vocabulary.js";

/** Longest solution 6: four reads, edit, submit. */
export const maxTurns = 7;
/** `edit NAME VALUE` and the end. */
export const maxActionTokens = 4;
/** Where the next action begins. */
export const promptSign = "\n$";

const text = new TextDecoder();

/** A file with its setting changed, or null when it holds none: an include cannot be edited away. */
export function withSetting(content: string, value: string): string | null {
  const [key, old] = content.trim().split(" ");
  return key && old && settings.includes(key) ? `${key} ${value}\n` : null;
}

export type Tool =
  | { tool: "read"; name: string }
  | { tool: "edit"; name: string; value: string }
  | { tool: "check" }
  | { tool: "submit" };

export function parseAction(action: string): Tool | null {
  const [tool, name, value, ...rest] = action.trim().split(/\s+/);
  if (rest.length > 0) return null;
  if (tool === "read" && name && !value) return { tool, name };
  if (tool === "edit" && name && value && /^\d+$/.test(value)) return { tool, name, value };
  if ((tool === "check" || tool === "submit") && !name) return { tool };
  return null;
}

/**
 * A service whose ticket says which value a setting must get, and a few configuration files. `include NAME` decides where it
 * is looked up next, `#include NAME` no more; the agent reads, edits the one file that decides, and submits. The reward is 1
 * when the service's check then passes in the sandbox, else 0; nothing is earned or lost on the way.
 */
export class Quickstart implements Environment<QuickstartTask> {
  #task: QuickstartTask | undefined;
  #turn = 0;
  #errors = 0;

  async reset(task: QuickstartTask, context: EnvContext): Promise<string> {
    this.#task = task;
    this.#turn = 0;
    this.#errors = 0;
    done(await context.sandbox.run([workspace(task)], { signal: context.signal }));
    return ticket(task) + promptSign;
  }

  async step(action: string, context: EnvContext): Promise<StepResult> {
    const task = this.#task;
    if (!task) throw new ActorsError("INVALID_ARGUMENT", "step before reset");
    this.#turn++;
    const called = parseAction(action);
    if (called?.tool === "submit") return this.#end(await judge(task, context));
    const answer = called ? await use(called, context) : "error";
    if (answer === "error") this.#errors++;
    if (this.#turn >= maxTurns) return { ...this.#end(false), terminated: false, truncated: true };
    return { observation: answer + promptSign, reward: 0, terminated: false, truncated: false, info: {} };
  }

  async close(): Promise<void> {}

  #end(solved: boolean): StepResult {
    const reward = Number(solved);
    const info = { solved: reward, turns: this.#turn, errors: this.#errors };
    return { observation: "", reward, terminated: true, truncated: false, info };
  }
}

/** The answer of a tool; "error" for what it cannot do. */
async function use(called: Exclude<Tool, { tool: "submit" }>, { sandbox, signal }: EnvContext): Promise<string> {
  if (called.tool === "check") {
    const [checked] = await sandbox.run([runCheck], { signal });
    return checked?.ok && checked.exitCode === 0 ? "ok" : "fail";
  }
  if (!/^[a-z]+$/.test(called.name)) return "error";
  const [file] = await sandbox.run([{ read: `conf/${called.name}` }], { signal });
  if (!file?.ok) return "error";
  const content = text.decode(file.data);
  if (called.tool === "read") return content.trimEnd();
  const changed = withSetting(content, called.value);
  if (changed === null) return "none";
  done(await sandbox.run([writeConf(called.name, changed)], { signal }));
  return "done";
}

/**
 * Runs the check, put there anew, after the agent's last action. The same sandbox will do: its tools start no process that
 * could outlive them, and none writes outside `conf`.
 */
async function judge(task: QuickstartTask, { sandbox, signal }: EnvContext): Promise<boolean> {
  const checked = done(await sandbox.run(grade(task), { signal })).at(-1);
  return checked?.exitCode === 0 && text.decode(checked.data) === "ok\n";
}

/** These operations are ours, and cannot fail by what the agent did. */
function done(results: OpResult[]): OpResult[] {
  const failed = results.find((result) => !result.ok);
  if (failed) throw new ActorsError("UNAVAILABLE", `the workspace cannot be prepared: ${failed.error}`);
  return results;
}
