import { z } from "zod";
import type { EnvContext } from "../environment.js";
import { ToolError } from "../tools.js";
import { bash, readText, repoRoot, writeText } from "./workspace.js";

/** Earlier texts of the files edited, newest last: plain data. */
export type History = Record<string, (string | null)[]>;

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

const root = "/workspace/";
const keptEdits = 20;
const around = 3;
const viewMs = 10_000;

/** @throws ToolError saying what is wrong with the edit */
export async function edit(input: Edit, history: History, context: EnvContext): Promise<string> {
  const path = insideOf(input.path);
  if (input.command === "view") return view(path, input, context);
  const old = await readText(path, context);
  if (input.command === "create") {
    if (old !== null) throw new ToolError(`${input.path} exists already: change it with str_replace`);
    await write(path, need(input.file_text, "file_text", input), old, history, context);
    return `${input.path} was created.`;
  }
  if (input.command === "undo_edit") return undo(path, input, history, context);
  if (old === null) throw new ToolError(`${input.path} is not a file`);
  const [text, at] = input.command === "insert" ? inserted(old, input) : replaced(old, input);
  await write(path, text, old, history, context);
  const lines = text.split("\n");
  const first = Math.max(0, at - around);
  const shown = lines.slice(first, at + (input.new_str ?? "").split("\n").length + around);
  return `${input.path} was changed. It now reads:\n${numbered(shown, first + 1)}`;
}

function insideOf(path: string): string {
  const clean = path.startsWith("/") ? path : `${repoRoot}/${path}`;
  if (!clean.startsWith(root) || clean.split("/").includes(".."))
    throw new ToolError(`${path} is outside of ${repoRoot}`);
  return clean.slice(root.length).replace(/\/+$/, "");
}

async function view(path: string, input: Edit, context: EnvContext): Promise<string> {
  const text = await readText(path, context);
  if (text === null) {
    const find = `cd '${root}${path.replaceAll("'", "'\\''")}' && find . -maxdepth 2 -not -path '*/.*' | sort`;
    const { stdout, exitCode } = await bash(find, context, viewMs);
    if (exitCode !== 0) throw new ToolError(`${input.path} does not exist`);
    return stdout.trimEnd();
  }
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const [first, end] = input.view_range ?? [1, -1];
  const last = end === -1 ? lines.length : end!;
  if (first! < 1 || first! > Math.max(1, lines.length) || last < first!)
    throw new ToolError(`view_range must lie within 1 and ${lines.length}`);
  return numbered(lines.slice(first! - 1, last), first!);
}

const numbered = (lines: readonly string[], first: number) =>
  lines.map((line, i) => `${String(first + i).padStart(6)}\t${line}`).join("\n");

/** The new text and the line, from 0, where it changed. */
function replaced(old: string, input: Edit): [string, number] {
  const what = need(input.old_str, "old_str", input);
  const parts = old.split(what);
  if (what === "" || parts.length === 1) throw new ToolError(`old_str does not occur in ${input.path}`);
  if (parts.length > 2)
    throw new ToolError(`old_str occurs ${parts.length - 1} times in ${input.path}: give more of what surrounds it`);
  return [parts.join(input.new_str ?? ""), parts[0]!.split("\n").length - 1];
}

function inserted(old: string, input: Edit): [string, number] {
  const lines = old.split("\n");
  const at = need(input.insert_line, "insert_line", input);
  const count = old.endsWith("\n") ? lines.length - 1 : lines.length;
  if (at > count) throw new ToolError(`${input.path} has ${count} lines: insert_line is at most that`);
  lines.splice(at, 0, ...need(input.new_str, "new_str", input).replace(/\n$/, "").split("\n"));
  return [lines.join("\n"), at];
}

async function undo(path: string, input: Edit, history: History, context: EnvContext): Promise<string> {
  const before = history[path]?.pop();
  if (before === undefined) throw new ToolError(`nothing of ${input.path} can be undone`);
  if (before === null) await bash(`rm -f -- '${root}${path.replaceAll("'", "'\\''")}'`, context, viewMs);
  else await put(path, before, context);
  return before === null ? `${input.path} is gone again.` : `The last edit of ${input.path} was undone.`;
}

async function write(path: string, text: string, old: string | null, history: History, context: EnvContext) {
  await put(path, text, context);
  const kept = Object.hasOwn(history, path) ? history[path]! : [];
  history[path] = [...kept, old].slice(-keptEdits);
}

async function put(path: string, text: string, context: EnvContext): Promise<void> {
  if (!(await writeText(path, text, context))) throw new ToolError(`${root}${path} cannot be written`);
}

function need<V>(value: V | undefined, name: string, { command }: Edit): V {
  if (value === undefined) throw new ToolError(`${command} needs ${name}`);
  return value;
}
