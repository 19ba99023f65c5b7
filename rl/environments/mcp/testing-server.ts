// A server of the Model Context Protocol for tests: on stdin and stdout, or with an argument `http` on a port that it prints.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";

function counter(): McpServer {
  const server = new McpServer({ name: "counter", version: "1.0.0" });
  const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
  let sum = 0;
  const add = { description: "Add to the sum.", inputSchema: { n: z.number().max(9) } };
  server.registerTool("add", add, async ({ n }) => {
    sum += n;
    return said(String(sum));
  });
  server.registerTool("say", { description: "Say a text.", inputSchema: { text: z.string() } }, async ({ text }) => {
    if (text === "nothing") return { ...said("there is nothing to say"), isError: true };
    return said(`${process.pid} ${text}`);
  });
  server.registerTool("stop", { description: "End the server." }, async () => {
    process.stderr.write("asked to stop\n", () => process.exit(3));
    return await new Promise<never>(() => {});
  });
  server.registerTool("hang", { description: "Never answer." }, async () => {
    for (;;); // not even to a signal that can be handled
  });
  return server;
}

if (process.argv[2] === "http") {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
        process.stdout.write(`closed, ${sessions.size} left\n`);
      },
    });
    await counter().connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => process.stdout.write(`${(http.address() as AddressInfo).port}\n`));
} else {
  await counter().connect(new StdioServerTransport());
}
