import { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";
import type { EnvironmentDef } from "../environment.js";
import { type ToolEnvironmentSpec, toolEnvironment } from "../tool-environment.js";
import type { Tool, Tools } from "../tools.js";
import type { McpDeadlines, McpServer, McpSession, McpTool } from "./session.js";

export type { McpServer, McpSession };

export interface McpEnvironmentSpec<T, S>
  extends Omit<ToolEnvironmentSpec<T, S, McpSession>, "open">,
    Partial<McpDeadlines> {
  /** Each episode has a session of its own; of a program, a process of its own. */
  server: McpServer;
  /** Names of the server's tools that the agent gets. Default: all. */
  serverTools?: readonly string[];
  /** The environment's own tools, such as one that ends the episode; `opened` is the session. They go before the server's. */
  tools: Tools<T, S, McpSession>;
}

/**
 * An environment whose tools are those of a server of the Model Context Protocol. What the server marks as an error is the agent's
 * mistake; a server that ends, or does not answer, is a retryable failure of the episode.
 * @throws ActorsError where the server cannot be asked, or lacks a tool that is named
 */
export async function mcpEnvironment<T, S>(spec: McpEnvironmentSpec<T, S>): Promise<EnvironmentDef<T>> {
  const { server, serverTools, startMs = 30_000, callMs = 30_000 } = spec;
  const deadlines = { startMs, callMs };
  const { McpSession: Session } = await import("./session.js"); // with the SDK, which only such environments need
  const open = (_: T, { signal }: { signal: AbortSignal }) => Session.open(server, deadlines, signal);
  const found = await toolsOf(await Session.open(server, deadlines));
  const missing = serverTools?.find((name) => !found.some((each) => each.name === name));
  if (missing !== undefined) {
    throw new ActorsError("NOT_FOUND", `the MCP server has no tool ${missing}`, {
      hint: `It has ${found.map(({ name }) => name).join(", ") || "none"}.`,
    });
  }
  const taken = found.filter(({ name }) => serverTools?.includes(name) ?? true);
  const theirs = Object.fromEntries(taken.map((each) => [each.name, toolOf<T, S>(each)]));
  return toolEnvironment<T, S, McpSession>({ ...spec, open, tools: { ...theirs, ...spec.tools } });
}

async function toolsOf(opened: McpSession): Promise<McpTool[]> {
  await using session = opened;
  return await session.tools();
}

/** Its arguments are checked by the server, whose schema goes to the chat template as it is. */
function toolOf<T, S>({ name, description, inputSchema }: McpTool): Tool<T, S, McpSession> {
  const properties = (inputSchema["properties"] ?? {}) as Record<string, { type?: unknown; enum?: unknown }>;
  return {
    description,
    input: z.record(z.string(), z.unknown()),
    parameters: inputSchema,
    order: Object.entries(properties).map(([key, of]) => ({
      key,
      text: of.type === "string" || of.enum !== undefined,
    })),
    run: (input, { opened, context }) => opened.call(name, input, context.signal),
  };
}
