import type { Op, RunOptions, SandboxSession } from "./session.js";

/** What may be asked of `edit`; names and meaning are those of the tool that agents know as `str_replace_editor`. */
export interface Edit {
  command: "view" | "create" | "str_replace" | "insert" | "undo_edit";
  /** Absolute, or relative to `root`. */
  path: string;
  file_text?: string | undefined;
  old_str?: string | undefined;
  new_str?: string | undefined;
  /** After this line; 0 is the top. */
  insert_line?: number | undefined;
  /** First and last line, from 1; -1 is the end. */
  view_range?: readonly number[] | undefined;
}

/** Earlier texts of the files edited, newest last: plain data. */
export type History = Record<string, (string | null)[]>;

export interface Place {
  sandbox: SandboxSession;
  /** Where the sandbox's own paths begin. */
  workspace: string;
  /** Within it: where relative paths begin. */
  root: string;
  signal?: AbortSignal;
}

/** What is wrong with an edit, told to who asked for it. */
export class EditError extends Error {}

export interface Edited {
  told: string;
  /** Text before and after; null where there is no file. Absent from a view. */
  change?: { before: string | null; after: string | null };
}

const keptEdits = 20;
const around = 3;
const viewMs = 10_000;
const decode = new TextDecoder();
const encode = new TextEncoder();

/** @throws EditError */
export async function edit(input: Edit, history: History, place: Place): Promise<Edited> {
  const path = pathIn(place, input.path);
  if (input.command === "view") return { told: await view(path, input, place) };
  const before = await readText(path, place);
  if (input.command === "undo_edit") return undo(path, input, before, history, place);
  if (input.command === "create") {
    if (before !== null) throw new EditError(`${input.path} exists already: change it with str_replace`);
    const after = need(input.file_text, "file_text", input);
    await write(path, after, before, history, place);
    return { told: `${input.path} was created.`, change: { before, after } };
  }
  if (before === null) throw new EditError(`${input.path} is not a file`);
  const [after, at] = input.command === "insert" ? inserted(before, input) : replaced(before, input);
  await write(path, after, before, history, place);
  const first = Math.max(0, at - around);
  const shown = after.split("\n").slice(first, at + (input.new_str ?? "").split("\n").length + around);
  const told = `${input.path} was changed. It now reads:\n${numbered(shown, first + 1)}`;
  return { told, change: { before, after } };
}

/** As the sandbox has it. @throws EditError for one outside of the workspace */
export function pathIn({ workspace, root }: Pick<Place, "workspace" | "root">, path: string): string {
  const clean = path.startsWith("/") ? path : `${root}/${path}`;
  const isInside = clean === workspace || clean.startsWith(`${workspace}/`);
  if (!isInside || clean.split("/").includes("..")) throw new EditError(`${path} is outside of ${root}`);
  return clean.slice(workspace.length + 1).replace(/\/+$/, "");
}

/** Null where there is no such file. */
export async function readText(path: string, place: Place): Promise<string | null> {
  const [found] = await run({ read: path }, place);
  return found?.ok ? decode.decode(found.data) : null;
}

async function view(path: string, input: Edit, place: Place): Promise<string> {
  const text = await readText(path, place);
  if (text === null) {
    const find = "find . -maxdepth 2 -not -path '*/.*' | sort";
    const [found] = await run({ exec: { argv: ["sh", "-c", find], cwd: path || ".", timeoutMs: viewMs } }, place);
    if (!found?.ok || found.exitCode !== 0) throw new EditError(`${input.path} does not exist`);
    return decode.decode(found.data).trimEnd();
  }
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const [first = 1, end = -1] = input.view_range ?? [];
  const last = end === -1 ? lines.length : end;
  if (first < 1 || first > Math.max(1, lines.length) || last < first)
    throw new EditError(`view_range must lie within 1 and ${lines.length}`);
  return numbered(lines.slice(first - 1, last), first);
}

const numbered = (lines: readonly string[], first: number) =>
  lines.map((line, i) => `${String(first + i).padStart(6)}\t${line}`).join("\n");

/** The new text and the line, from 0, where it changed. */
function replaced(old: string, input: Edit): [string, number] {
  const what = need(input.old_str, "old_str", input);
  const parts = old.split(what);
  if (what === "" || parts.length === 1) throw new EditError(`old_str does not occur in ${input.path}`);
  if (parts.length > 2)
    throw new EditError(`old_str occurs ${parts.length - 1} times in ${input.path}: give more of what surrounds it`);
  return [parts.join(input.new_str ?? ""), (parts[0] ?? "").split("\n").length - 1];
}

function inserted(old: string, input: Edit): [string, number] {
  const lines = old.split("\n");
  const at = need(input.insert_line, "insert_line", input);
  const count = old.endsWith("\n") ? lines.length - 1 : lines.length;
  if (at > count) throw new EditError(`${input.path} has ${count} lines: insert_line is at most that`);
  lines.splice(at, 0, ...need(input.new_str, "new_str", input).replace(/\n$/, "").split("\n"));
  return [lines.join("\n"), at];
}

async function undo(path: string, input: Edit, now: string | null, history: History, place: Place): Promise<Edited> {
  const before = history[path]?.pop();
  if (before === undefined) throw new EditError(`nothing of ${input.path} can be undone`);
  if (before === null) await run({ remove: path }, place);
  else await put(path, before, place);
  const told = before === null ? `${input.path} is gone again.` : `The last edit of ${input.path} was undone.`;
  return { told, change: { before: now, after: before } };
}

async function write(path: string, text: string, old: string | null, history: History, place: Place): Promise<void> {
  await put(path, text, place);
  const kept = Object.hasOwn(history, path) ? (history[path] ?? []) : [];
  history[path] = [...kept, old].slice(-keptEdits);
}

async function put(path: string, text: string, place: Place): Promise<void> {
  const [written] = await run({ write: { path, content: encode.encode(text) } }, place);
  if (!written?.ok) throw new EditError(`${place.workspace}/${path} cannot be written`);
}

function run(op: Op, { sandbox, signal }: Place) {
  const options: RunOptions = signal ? { signal } : {};
  return sandbox.run([op], options);
}

function need<V>(value: V | undefined, name: string, { command }: Edit): V {
  if (value === undefined) throw new EditError(`${command} needs ${name}`);
  return value;
}
