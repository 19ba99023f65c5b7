import { readFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { z } from "zod";
import { ActorsError, type Code, withDeadline } from "../../runtime/index.js";
import { type Guarantees, type Image, nextName, type SandboxBackend } from "./backend.js";
import { SandboxProcess } from "./channel.js";
import type { Link } from "./link.js";
import type { SandboxLimits } from "./session.js";

/** `actors sandbox serve` on another machine. */
export interface RemoteServer {
  /** Such as https://sandboxes.example:8443 */
  url: string;
  /** Holds the key, and nothing else. */
  apiKeyFile: string;
}

const askMs = 60_000;
const stopMs = 10_000;
const connectMs = 15_000;
const keepAliveMs = 10_000;

const startedSchema = z.object({
  runtime_id: z.string(),
  url: z.string(),
  session_api_key: z.string(),
  workspace: z.string(),
});
const infoSchema = z.object({
  backend: z.string(),
  guarantees: z.object({ proven: z.array(z.string()), missing: z.array(z.string()) }),
});

/** Sandboxes of another machine, whose frames come through its HTTP server. A lost connection is a lost sandbox, on both sides. */
export class RemoteBackend implements SandboxBackend {
  readonly name = "remote";
  readonly caveat =
    "sandboxes of another machine have the limits that its server was started with, and forks are copies";
  readonly #server: RemoteServer | null;

  constructor(server: RemoteServer | null) {
    this.#server = server;
  }

  async start(_limits: SandboxLimits, image?: Image | null): Promise<SandboxProcess> {
    const id = nextName(this.name);
    const asked = { session_id: `${id}-${Date.now()}`, image: image?.name ?? "", workspace: image?.workspace };
    const { runtime_id, url, session_api_key, workspace } = startedSchema.parse(
      await this.#ask("POST", "/start", asked),
    );
    const stop = () => this.#ask("POST", "/stop", { runtime_id }, stopMs).catch(() => {}); // its lease ends anyway
    try {
      const link = await openChannel(`${url}/channel`, session_api_key);
      const sandbox = await SandboxProcess.start(id, link, workspace);
      sandbox.image = image ?? null;
      sandbox.removing(stop);
      return sandbox;
    } catch (error) {
      await stop();
      throw error;
    }
  }

  async guarantees(): Promise<Guarantees> {
    return infoSchema.parse(await this.#ask("GET", "/server_info")).guarantees;
  }

  close(): void {}

  /** @throws ActorsError UNAVAILABLE when it does not answer, else what its status says */
  async #ask(method: string, path: string, body?: object, timeoutMs = askMs): Promise<unknown> {
    if (!this.#server)
      throw new ActorsError("INVALID_ARGUMENT", "the remote backend needs a server", {
        hint: "Set environment.sandbox_server.url and api_key_file.",
      });
    const { url, apiKeyFile } = this.#server;
    const key = await readKey(apiKeyFile);
    const lost = (cause: unknown) =>
      new ActorsError("UNAVAILABLE", `the sandbox server at ${url} does not answer: ${reasonOf(cause)}`, { cause });
    const response = await fetch(new URL(path, url), {
      method,
      headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error) => {
      throw lost(error);
    });
    const answer = (await response.json().catch(() => ({}))) as { detail?: unknown };
    if (response.ok) return answer;
    const said = typeof answer.detail === "string" ? answer.detail : `status ${response.status}`;
    throw new ActorsError(codeOf(response.status), `the sandbox server at ${url}: ${said}`, {
      hint: response.status === 401 ? `Is the key in ${apiKeyFile} that of the server?` : undefined,
    });
  }
}

/** @throws ActorsError INVALID_ARGUMENT naming the file */
export async function readKey(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new ActorsError("INVALID_ARGUMENT", `the API key cannot be read from ${file}: ${cause.code}`, { cause });
  });
  const key = text.trim();
  if (/^[\x21-\x7e]{16,}$/.test(key)) return key;
  throw new ActorsError("INVALID_ARGUMENT", `${file} must hold one key of at least 16 printable characters`, {
    hint: `Make one: openssl rand -hex 32 > ${file}`,
  });
}

const codes: Record<number, Code> = {
  400: "INVALID_ARGUMENT",
  401: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "OVERLOADED",
  504: "DEADLINE_EXCEEDED",
};
const codeOf = (status: number): Code => codes[status] ?? "UNAVAILABLE";

/** What fetch hides in its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? inner ?? message;
}

async function openChannel(url: string, key: string): Promise<Link> {
  const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, {
    headers: { connection: "Upgrade", upgrade: "actors-sandbox", "x-session-api-key": key },
    agent: false,
  });
  const opened = new Promise<Duplex>((resolve, reject) => {
    request.once("upgrade", (_response: IncomingMessage, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      socket.setKeepAlive(true, keepAliveMs);
      resolve(socket);
    });
    request.once("response", ({ statusCode }) => reject(new Error(`status ${statusCode}`)));
    request.once("error", reject);
  });
  request.end();
  const socket = await withDeadline(opened, connectMs, `the connection to ${url}`).catch((cause) => {
    request.destroy();
    throw new ActorsError("UNAVAILABLE", `no connection to ${url}: ${reasonOf(cause)}`, { cause });
  });
  const ended = new Promise<string>((resolve) => {
    socket.once("error", (error) => resolve(`the connection to its server broke: ${error.message}`));
    socket.once("close", () => resolve("the connection to its server was closed"));
  });
  return { input: socket, output: socket, errors: null, pid: 0, ended, kill: () => socket.destroy() };
}
