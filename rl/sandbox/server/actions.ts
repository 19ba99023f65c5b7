import { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";
import { EditError, edit, type History, type Place, pathIn, readText } from "../editor.js";
import type { Lease } from "../lease.js";
import { HttpError } from "./http.js";
import type { Terminal } from "./terminal.js";

// Actions and observations as the action execution server of OpenHands takes and gives them:
// https://github.com/All-Hands-AI/OpenHands, openhands/events. Fields that mean nothing here are not read.

const defaultSeconds = 120;
const maxSeconds = 3_600;
/** Characters that an agent reads of one output, its middle left out. */
const shownOutput = 30_000;

const range = { start: z.int().default(0), end: z.int().default(-1) };
const path = z.string().min(1);
const optional = z.string().nullish();
const source = z.string().nullish();

const actionSchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("run"),
    args: z.object({
      command: z.string(),
      is_input: z.boolean().default(false),
      blocking: z.boolean().default(false),
      hidden: z.boolean().default(false),
    }),
    timeout: z.number().positive().nullish(),
  }),
  z.object({
    action: z.literal("read"),
    args: z.object({ path, ...range, impl_source: source, view_range: z.array(z.int()).length(2).nullish() }),
  }),
  z.object({ action: z.literal("write"), args: z.object({ path, content: z.string(), ...range }) }),
  z.object({
    action: z.literal("edit"),
    args: z.object({
      ...{ path, impl_source: source, file_text: optional, old_str: optional, new_str: optional },
      command: z.enum(["view", "create", "str_replace", "insert", "undo_edit"]),
      insert_line: z.int().min(0).nullish(),
      view_range: z.array(z.int()).length(2).nullish(),
    }),
  }),
]);
export type Action = z.output<typeof actionSchema>;

/** What `POST /execute_action` holds. */
export const executeSchema = z.object({ action: z.looseObject({ action: z.string() }) });

export interface Observation {
  observation: string;
  content: string;
  extras: Record<string, unknown>;
  message?: string;
  success?: boolean;
}

export interface Actor {
  sandbox: Lease;
  terminal: Terminal;
  /** Of its editor. */
  history: History;
  /** Absolute path of its workspace. */
  workspace: string;
  signal: AbortSignal;
}

/**
 * What the agent did wrong is an observation.
 * @throws HttpError 422 for an action that is none; ActorsError when the sandbox is lost
 */
export async function execute(sent: z.output<typeof executeSchema>["action"], actor: Actor): Promise<Observation> {
  const known = actionSchema.options.some((option) => option.shape.action.value === sent.action);
  if (!known) return mistake(`There are no actions "${sent.action}" here: run, read, write and edit.`);
  const parsed = actionSchema.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new HttpError(422, `action.${issue?.path.join(".")}: ${issue?.message}`);
  }
  try {
    return await perform(parsed.data, actor);
  } catch (error) {
    if (error instanceof EditError) return mistake(`ERROR:\n${error.message}`);
    if (error instanceof ActorsError && error.code === "INVALID_ARGUMENT") return mistake(error.rawMessage);
    throw error;
  }
}

function perform(action: Action, actor: Actor): Promise<Observation> {
  if (action.action === "run") return run(action, actor);
  if (action.action === "read") return read(action.args, actor);
  return action.action === "write" ? write(action.args, actor) : change(action.args, actor);
}

type Args<Name extends Action["action"]> = Extract<Action, { action: Name }>["args"];

async function run({ args, timeout }: Extract<Action, { action: "run" }>, actor: Actor): Promise<Observation> {
  const { command, hidden, is_input: isInput, blocking: isBlocking } = args;
  const timeoutMs = Math.min(timeout ?? defaultSeconds, maxSeconds) * 1_000;
  const line = { command, isInput, isBlocking, timeoutMs };
  const { output, exitCode, folder, remark } = await actor.terminal.run(actor.sandbox, line, actor.signal);
  const metadata = {
    ...{ exit_code: exitCode, pid: -1, username: null, hostname: "sandbox", working_dir: folder },
    ...{ py_interpreter_path: null, prefix: "", suffix: remark === "" ? "" : `\n${remark}` },
  };
  return {
    ...{ observation: "run", content: shortened(output.replace(/\n$/, "")), extras: { command, hidden, metadata } },
    message: `Command \`${command}\` executed with exit code ${exitCode}.`,
    success: exitCode === 0,
  };
}

async function read(args: Args<"read">, actor: Actor): Promise<Observation> {
  const place = placeOf(actor);
  const extras = { path: args.path, impl_source: args.impl_source ?? "default" };
  if (args.impl_source === "oh_aci") {
    const view = { command: "view" as const, path: args.path, ...(args.view_range && { view_range: args.view_range }) };
    return { observation: "read", content: (await edit(view, {}, place)).told, extras };
  }
  const text = await readText(pathIn(place, args.path), place);
  if (text === null) return mistake(`File not found: ${args.path}. The workspace is ${actor.workspace}.`);
  const lines = linesOf(text).slice(args.start, args.end === -1 ? undefined : args.end);
  return { observation: "read", content: lines.join(""), extras };
}

/** The lines from `start` to before `end`, which -1 puts at the end of the file, are replaced; each new one ends with a line end. */
async function write(args: Args<"write">, actor: Actor): Promise<Observation> {
  const place = placeOf(actor);
  const at = pathIn(place, args.path);
  const old = linesOf((await readText(at, place)) ?? "");
  const lines = args.content.split("\n").map((line) => `${line}\n`);
  const text = [...old.slice(0, args.start), ...lines, ...(args.end === -1 ? [] : old.slice(args.end))].join("");
  await actor.sandbox.write({ path: at, content: text, mode: 0o664 });
  return { observation: "write", content: "", extras: { path: args.path } };
}

async function change(args: Args<"edit">, actor: Actor): Promise<Observation> {
  if (args.impl_source && args.impl_source !== "oh_aci")
    return mistake("Edits by a model are the client's own work: only impl_source oh_aci is done here.");
  const { impl_source: _, ...rest } = args;
  const input = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) as Omit<
    typeof rest,
    never
  >;
  const { told, change } = await edit(input as Parameters<typeof edit>[0], actor.history, placeOf(actor));
  const extras = {
    ...{ path: args.path, prev_exist: change ? change.before !== null : true, impl_source: "oh_aci", diff: null },
    ...{ old_content: change?.before ?? null, new_content: change?.after ?? null },
  };
  return { observation: "edit", content: told, extras };
}

const mistake = (content: string): Observation => ({ observation: "error", content, extras: { error_id: "" } });

const placeOf = ({ sandbox, workspace, signal }: Actor): Place => ({ sandbox, workspace, root: workspace, signal });

/** Each with its line end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function shortened(text: string): string {
  if (text.length <= shownOutput) return text;
  const half = shownOutput / 2;
  return `${text.slice(0, half)}\n[${text.length - shownOutput} characters left out]\n${text.slice(-half)}`;
}
