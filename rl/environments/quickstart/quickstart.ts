import { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";
import type { OpResult } from "../../sandbox/session.js";
import type { EnvContext } from "../environment.js";
import { ToolError, toolsOf } from "../tools.js";
import { grade, runCheck, workspace, writeConf } from "./check.js";
import type { QuickstartTask } from "./task.js";
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

export async function prepare(task: QuickstartTask, { sandbox, signal }: EnvContext): Promise<null> {
  done(await sandbox.run([workspace(task)], { signal }));
  return null; // the state is in the sandbox
}

const { tool } = toolsOf<QuickstartTask, null>();
const name = z.string().regex(/^[a-z]+$/);

export const tools = {
  read: tool("Print a configuration file.", { name }, async (input, { context }) =>
    (await read(input.name, context)).trimEnd(),
  ),
  edit: tool(
    "Give the setting in a file another value.",
    { name, value: z.string().regex(/^\d+$/) },
    async (input, { context }) => {
      const changed = withSetting(await read(input.name, context), input.value);
      if (changed === null) return "none";
      done(await context.sandbox.run([writeConf(input.name, changed)], { signal: context.signal }));
      return "done";
    },
  ),
  check: tool("Run the service's check.", {}, async (_, { context: { sandbox, signal } }) => {
    const [checked] = await sandbox.run([runCheck], { signal });
    return checked?.ok && checked.exitCode === 0 ? "ok" : "fail";
  }),
  submit: tool("Say that the service is mended.", {}, async (_, { task, context }) => {
    const reward = Number(await judge(task, context));
    return { observation: "", reward, done: true, info: { solved: reward } };
  }),
};

/** @throws ToolError for a file that is not there */
async function read(file: string, { sandbox, signal }: EnvContext): Promise<string> {
  const [found] = await sandbox.run([{ read: `conf/${file}` }], { signal });
  if (!found?.ok) throw new ToolError(`${file} is not there`);
  return text.decode(found.data);
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
