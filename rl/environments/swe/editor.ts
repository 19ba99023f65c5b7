import { z } from "zod";
import * as sandboxEditor from "../../sandbox/editor.js";
import type { EnvContext } from "../environment.js";
import { ToolError } from "../tools.js";
import type { Ground } from "./ground.js";

export type { History } from "../../sandbox/editor.js";

export const editorShape = {
  command: z.enum(["view", "create", "str_replace", "insert", "undo_edit"]),
  path: z.string().describe("absolute path of a file or folder, e.g. /workspace/repo/src/a.js"),
  file_text: z.string().optional().describe("create: the text of the file"),
  old_str: z.string().optional().describe("str_replace: the text to replace; must occur exactly once"),
  new_str: z.string().optional().describe("str_replace: what comes in its place; insert: the lines to insert"),
  insert_line: z.int().min(0).optional().describe("insert: the line after which; 0 is the top"),
  view_range: z.array(z.int()).length(2).optional().describe("view: first and last line, from 1; -1 is the end"),
};
export type Edit = z.output<z.ZodObject<typeof editorShape>>;

/** @throws ToolError saying what is wrong with the edit */
export async function edit(
  input: Edit,
  history: sandboxEditor.History,
  { root, workspace }: Pick<Ground, "root" | "workspace">,
  { sandbox, signal }: EnvContext,
): Promise<string> {
  try {
    return (await sandboxEditor.edit(input, history, { sandbox, workspace, root, signal })).told;
  } catch (error) {
    throw error instanceof sandboxEditor.EditError ? new ToolError(error.message) : error;
  }
}
