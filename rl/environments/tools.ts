import { z } from "zod";
import type { EnvContext, ToolSchema } from "./environment.js";

/** What a tool's code works on. `state` is plain data, changed in place; `opened` is what the environment's `open` gave. */
export interface ToolCall<T, S, R = undefined> {
  task: T;
  state: S;
  opened: R;
  context: EnvContext;
}

/** A tool's answer. A text alone earns nothing and ends nothing. */
export type ToolResult =
  | string
  | {
      observation: string;
      reward?: number;
      /** How far the milestones reached lead, 0 to 1; see `potentialOf`. */
      potential?: number;
      /** The task came to its end, or (`truncated`) a budget of the environment's own did. */
      done?: boolean;
      truncated?: boolean;
      info?: Record<string, number>;
    };

export interface Tool<T, S, R = undefined> {
  description: string;
  input: z.ZodType;
  /** JSON schema for the chat template, where it is not made from `input`. */
  parameters?: Record<string, unknown>;
  /** Its arguments in the order of the short form, and which of them are texts. */
  order: readonly { key: string; text: boolean }[];
  run(input: never, call: ToolCall<T, S, R>): ToolResult | Promise<ToolResult>;
}

/** Thrown by a tool for what the agent did wrong: its message is what the agent reads. Anything else that is thrown is a fault of ours. */
export class ToolError extends Error {}

/** A tool whose `run` gets what its schema has checked. */
export const toolsOf = <T, S, R = undefined>() => ({
  tool: <I extends z.ZodRawShape>(
    description: string,
    shape: I,
    run: (input: z.output<z.ZodObject<I>>, call: ToolCall<T, S, R>) => ToolResult | Promise<ToolResult>,
  ): Tool<T, S, R> => {
    const order = Object.entries(shape).map(([key, type]) => ({ key, text: isText(type as z.ZodType) }));
    return { description, input: z.strictObject(shape) as never, order, run: run as never };
  },
});

export type Tools<T, S, R = undefined> = Readonly<Record<string, Tool<T, S, R>>>;

export function schemasOf<T, S, R>(tools: Tools<T, S, R>): ToolSchema[] {
  return Object.entries(tools).map(([name, { description, input, parameters }]) => {
    const { $schema: _, ...made } = parameters ?? z.toJSONSchema(input, { io: "input" });
    return { type: "function", function: { name, description, parameters: made } };
  });
}

/**
 * Reads an action: `<tool_call>{"name": …, "arguments": {…}}</tool_call>` with any text around it, that object alone, or
 * the short form `NAME ARGUMENT …` in the order of the schema, where a last argument that is a text is the rest of the line.
 * @throws ToolError in one sentence
 */
export function parseCall<T, S, R>(action: string, tools: Tools<T, S, R>): { tool: Tool<T, S, R>; input: never } {
  const { name, given } = readCall(action.trim(), tools);
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) throw new ToolError(`there is no tool ${name || "named"}: use ${Object.keys(tools).join(", ")}`);
  const parsed = tool.input.safeParse(given);
  if (parsed.success) return { tool, input: parsed.data as never };
  const issue = parsed.error.issues[0]!;
  throw new ToolError(`${[name, ...issue.path].join(".")}: ${issue.message}`);
}

function readCall<T, S, R>(action: string, tools: Tools<T, S, R>): { name: string; given: unknown } {
  const tagged = [...action.matchAll(/<tool_call>([\s\S]*?)<\/tool_call>/g)];
  if (tagged.length > 1) throw new ToolError("one tool call at a time");
  const json = tagged[0]?.[1] ?? (action.startsWith("{") ? action : undefined);
  if (json === undefined) return readWords(action, tools);
  try {
    const { name, arguments: given = {} } = JSON.parse(json);
    return { name: String(name), given };
  } catch {
    throw new ToolError("the tool call is not valid JSON");
  }
}

function readWords<T, S, R>(action: string, tools: Tools<T, S, R>): { name: string; given: unknown } {
  const [name = "", ...words] = action.split(/\s+/);
  if (!Object.hasOwn(tools, name)) return { name, given: {} };
  const { order } = tools[name]!;
  if (words.length > order.length) {
    if (!order.at(-1)?.text)
      throw new ToolError(`${name} takes ${order.map(({ key }) => key).join(", ") || "no argument"}`);
    words.push(words.splice(order.length - 1).join(" "));
  }
  const given = words.map((word, i) => [order[i]!.key, order[i]!.text ? word : plain(word)]);
  return { name, given: Object.fromEntries(given) };
}

const isText = (type: z.ZodType) => {
  const { type: name, enum: choices } = z.toJSONSchema(type, { io: "input" });
  return name === "string" || choices !== undefined;
};

function plain(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}
