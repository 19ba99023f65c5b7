import { z } from "zod";
import { ToolError, type Tools, toolsOf } from "../tools.js";
import { edit, editorShape, type History } from "./editor.js";
import type { Ground } from "./ground.js";
import { defaultCommandMs, maxCommandMs, shell } from "./shell.js";

/** Names a task: the rest is read where the episode is played. */
export interface SweRef {
  instance_id: string;
}

/** Of an episode, beside what lies in its sandbox. */
export interface SweState {
  history: History;
}

/** codeact: `execute_bash`, `str_replace_editor`, `finish`. bash: one tool, and a line that ends the episode. */
export type Agent = "codeact" | "bash";

/** First line of the output of a bash-only agent's last command. */
export const submission = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

const { tool } = toolsOf<SweRef, SweState>();

const submitted = { observation: "", done: true };

export function toolsFor(agent: Agent, ground: Ground): Tools<SweRef, SweState> {
  return agent === "bash" ? bashOnly(ground) : codeAct(ground);
}

function codeAct(ground: Ground): Tools<SweRef, SweState> {
  const about = `Run a command with bash. Folder and exported variables last until the next; none waits for input. Stopped after ${defaultCommandMs / 1_000} s, or after \`timeout\`.`;
  const shape = {
    command: z.string(),
    is_input: z.enum(["true", "false"]).optional(),
    timeout: z.number().positive().optional().describe("seconds"),
  };
  return {
    execute_bash: tool(about, shape, ({ command, is_input, timeout }, { context }) => {
      if (is_input === "true") throw new ToolError("no command is waiting for input: each runs to its end");
      return shell(command, ground, context, Math.min(maxCommandMs, 1_000 * (timeout ?? defaultCommandMs / 1_000)));
    }),
    str_replace_editor: tool("View, create and edit files.", editorShape, (input, { state, context }) =>
      edit(input, state.history, ground, context),
    ),
    finish: tool("Say that the issue is resolved, and end.", { message: z.string() }, () => submitted),
  };
}

function bashOnly(ground: Ground): Tools<SweRef, SweState> {
  const about = `Run a command with bash. Folder and exported variables last until the next. A command whose first line of output is ${submission} ends the task.`;
  return {
    bash: tool(about, { command: z.string() }, async ({ command }, { context }) => {
      const said = await shell(command, ground, context);
      return said.split("\n")[0] === submission ? submitted : said;
    }),
  };
}

const howToEnd: Record<Agent, string> = {
  codeact: "call finish",
  bash: `run \`echo ${submission}\``,
};

/** @param what the repository is, in a word */
export function promptOf(issue: string, what: string, { root }: Ground, agent: Agent): string {
  return `The repository in ${root} (${what}) has an open issue:

<issue>
${issue}
</issue>

Change the code so that the issue is resolved; hidden tests decide. Tests and settings of the repository are put back before they run. When you are done, ${howToEnd[agent]}.
`;
}
