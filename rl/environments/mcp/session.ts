import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { ActorsError } from "../../../runtime/index.js";
import type { ProgramOptions } from "../owned-process.js";
import { ToolError } from "../tools.js";
import { StdioTransport } from "./stdio.js";

/** A program that speaks on stdin and stdout, or the address of a server that speaks streamable HTTP. */
export type McpServer = ProgramOptions | { url: string; headers?: Readonly<Record<string, string>> };

export interface McpDeadlines {
  startMs: number;
  callMs: number;
}

/** A tool as the server tells it. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** A connection to a server of the Model Context Protocol. A program ends with it, a session over HTTP is given back. */
export class McpSession implements AsyncDisposable {
  readonly #client = new Client({ name: "actors", version: "0.1.0" });
  readonly #transport: Transport;
  readonly #what: string;
  readonly #deadlines: McpDeadlines;

  private constructor(server: McpServer, deadlines: McpDeadlines) {
    this.#deadlines = deadlines;
    if ("url" in server) {
      this.#what = `the MCP server at ${server.url}`;
      const requestInit = { headers: { ...server.headers } };
      this.#transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit }) as Transport;
    } else {
      this.#what = `the MCP server ${[server.command, ...(server.args ?? [])].join(" ")}`;
      this.#transport = new StdioTransport(this.#what, server);
    }
  }

  /** @throws ActorsError UNAVAILABLE where it cannot be reached, DEADLINE_EXCEEDED where it does not answer in time */
  static async open(server: McpServer, deadlines: McpDeadlines, signal?: AbortSignal): Promise<McpSession> {
    const session = new McpSession(server, deadlines);
    try {
      const options = { timeout: deadlines.startMs, ...(signal && { signal: AbortSignal.any([signal]) }) };
      await session.#client.connect(session.#transport, options);
      return session;
    } catch (cause) {
      await session[Symbol.asyncDispose]();
      throw session.#failure(cause, "its start");
    }
  }

  async tools(): Promise<McpTool[]> {
    const all: McpTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#answer("the list of its tools", () =>
        this.#client.listTools(cursor === undefined ? {} : { cursor }, { timeout: this.#deadlines.startMs }),
      );
      for (const { name, description = "", inputSchema } of page.tools) all.push({ name, description, inputSchema });
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  /**
   * What the tool says, as text.
   * @throws ToolError for what the agent did wrong: arguments that the server refuses, or a result that it marks as an error
   * @throws ActorsError UNAVAILABLE or DEADLINE_EXCEEDED where the server failed
   */
  async call(name: string, given: Record<string, unknown>, signal: AbortSignal): Promise<string> {
    // The client never takes its listener off: it gets a signal of its own.
    const options = { timeout: this.#deadlines.callMs, signal: AbortSignal.any([signal]) };
    const result = (await this.#answer(`its tool ${name}`, () =>
      this.#client.callTool({ name, arguments: given }, undefined, options),
    )) as CallToolResult;
    const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    if (result.isError) throw new ToolError(text);
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#transport instanceof StreamableHTTPClientTransport)
      await this.#transport.terminateSession().catch(() => {}); // it ends on its own, later
    await this.#client.close();
    await this.#transport.close();
  }

  async #answer<R>(asked: string, work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof McpError && cause.code === ErrorCode.InvalidParams) throw new ToolError(cause.message);
      throw this.#failure(cause, asked);
    }
  }

  #failure(cause: unknown, asked: string): ActorsError {
    if (cause instanceof ActorsError) return cause;
    if (this.#transport instanceof StdioTransport && this.#transport.ended) return this.#transport.ended;
    const late = cause instanceof McpError && cause.code === ErrorCode.RequestTimeout;
    const why = late ? "no answer in time" : (cause as Error).message;
    return new ActorsError(late ? "DEADLINE_EXCEEDED" : "UNAVAILABLE", `${this.#what}: ${asked}: ${why}`, { cause });
  }
}
