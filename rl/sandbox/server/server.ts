import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { z } from "zod";
import { ActorsError, type Logger } from "../../../runtime/index.js";
import type { Guarantees, Image } from "../backend.js";
import type { History } from "../editor.js";
import type { SandboxPool } from "../pool.js";
import { execute, executeSchema } from "./actions.js";
import { serveChannel } from "./channel.js";
import { downloadFiles, listFiles, listSchema, uploadFile } from "./files.js";
import { Call, HttpError, isSameKey, send, sendError, statusOf } from "./http.js";
import { type Session, Sessions } from "./sessions.js";
import { Terminal } from "./terminal.js";

export interface ServerOptions {
  pool: SandboxPool;
  backend: string;
  guarantees: Guarantees;
  /** Asks the engine; null where the backend has no images. */
  hasImage: ((image: string) => Promise<boolean>) | null;
  /** Start what names an image from the backend's own programs, where it has no images, in place of refusing it. */
  ignoreImage: boolean;
  apiKey: string;
  idleMs: number;
  lifetimeMs: number;
  log: Logger;
}

const headersMs = 10_000;
const bodyMs = 300_000;
const longestUrl = 8_192;

const startSchema = z.object({
  session_id: z.string().min(1).max(200),
  image: z.string().default(""),
  environment: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).default({}),
  /** Ours: the folder of the image that is the workspace. */
  workspace: z.string().startsWith("/").nullish(),
});
const runtimeSchema = z.object({ runtime_id: z.string() });

interface Agent {
  terminal: Terminal;
  history: History;
}

/**
 * Sandboxes over HTTP: sessions and actions as OpenHands' remote runtime and its action execution server have them, and `/channel`,
 * which is the frames of sandboxd, for our own remote backend.
 */
export class SandboxServer {
  readonly #options: ServerOptions;
  readonly #sessions: Sessions;
  readonly #agents = new WeakMap<Session, Agent>();
  readonly #server: Server;
  readonly #channels = new Set<Duplex>();
  readonly #startedAt = Date.now();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#sessions = new Sessions(options);
    const limits = { headersTimeout: headersMs, requestTimeout: bodyMs, maxHeaderSize: 2 * longestUrl };
    this.#server = createServer(limits, (request, response) => this.#serve(request, response));
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** @returns its URL. @throws ActorsError UNAVAILABLE when the port cannot be had */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) =>
        reject(
          new ActorsError("UNAVAILABLE", `${host}:${port} cannot be served: ${cause.message}`, {
            cause,
            retryable: false,
          }),
        ),
      );
      this.#server.listen(port, host, resolve);
    });
    const { port: bound } = this.#server.address() as AddressInfo;
    return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  }

  /** Ends every session and connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#channels) socket.destroy();
    await this.#sessions.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      send(response, await this.#answer(new Call(request, response)));
    } catch (error) {
      if (statusOf(error) >= 500) this.#options.log.warn({ err: error }, "a request failed");
      if (!response.headersSent) sendError(response, error);
      else response.destroy();
    }
  }

  async #answer(call: Call): Promise<unknown> {
    if (call.url.href.length > longestUrl) throw new HttpError(414, "the URL is too long");
    const [first = "", id = "", ...rest] = call.path;
    if (first === "alive") return { status: "ok" };
    if (first === "runtime" && rest.length > 0) return this.#ofRuntime(call, id, rest.join("/"));
    if (!isSameKey(call.header("x-api-key"), this.#options.apiKey))
      throw new HttpError(401, "X-API-Key is not the key of this server");
    const route = `${call.method} /${first}${id === "" ? "" : "/:id"}`;
    switch (route) {
      case "POST /start":
        return this.#start(call);
      case "POST /stop":
        await this.#sessions.stop(await this.#asked(call));
        return { status: "success" };
      case "POST /pause":
        await this.#sessions.pause(await this.#asked(call));
        return { status: "success" };
      case "POST /resume": {
        const session = await this.#asked(call);
        await this.#sessions.resume(session);
        this.#agents.get(session)?.terminal.renew();
        return { status: "success" };
      }
      case "GET /list":
        return { runtimes: this.#sessions.list().map((session) => this.#told(session, call)) };
      case "GET /sessions/:id": {
        if (id === "batch") {
          const names = call.url.searchParams.getAll("ids");
          return this.#sessions
            .list()
            .filter(({ name }) => names.includes(name))
            .map((session) => this.#told(session, call));
        }
        const session = this.#sessions.named(id);
        if (!session) throw new HttpError(404, `there is no session ${id}`);
        return this.#told(session, call);
      }
      case "GET /runtime/:id":
        return this.#told(this.#sessions.find(id), call);
      case "GET /server_info": {
        const { backend, guarantees, pool } = this.#options;
        return { uptime: (Date.now() - this.#startedAt) / 1_000, backend, guarantees, pool: pool.stats() };
      }
      case "GET /registry_prefix":
        return { registry_prefix: "" };
      case "GET /image_exists": {
        const image = call.query("image");
        return { exists: (await this.#options.hasImage?.(image)) ?? this.#options.ignoreImage, image };
      }
      case "POST /build":
        throw new HttpError(501, "images are not built here: build and pull them with the engine");
    }
    throw new HttpError(404, `there is no ${call.method} ${call.url.pathname}`);
  }

  async #start(call: Call): Promise<object> {
    const { session_id, image: name, workspace, environment } = await call.json(startSchema);
    const { hasImage, ignoreImage, backend } = this.#options;
    let image: Image | null = null;
    if (name !== "" && hasImage) image = { name, ...(workspace && { workspace }) };
    else if (name !== "" && !ignoreImage)
      throw new HttpError(
        400,
        `the ${backend} backend of this server has no images, and ${name} is asked for (see --ignore-image)`,
      );
    return this.#told(await this.#sessions.start(session_id, image, environment), call);
  }

  async #asked(call: Call): Promise<Session> {
    return this.#sessions.find((await call.json(runtimeSchema)).runtime_id);
  }

  /** What is asked of one runtime, as its action execution server. */
  async #ofRuntime(call: Call, id: string, path: string): Promise<unknown> {
    const session = this.#sessions.find(id);
    const route = `${call.method} /${path}`;
    if (route === "GET /alive") return session.use(async () => ({ status: "ok" }));
    this.#mayUse(call, session);
    return session.use(async (sandbox) => {
      const { workspace } = sandbox;
      const agent = this.#agent(session, workspace);
      const held = { sandbox, workspace, signal: call.signal };
      switch (route) {
        case "POST /execute_action":
          return execute((await call.json(executeSchema)).action, { ...held, ...agent });
        case "POST /upload_file":
          return uploadFile(call, held);
        case "GET /download_files":
          return downloadFiles(call, held);
        case "POST /list_files":
          return listFiles(await call.json(listSchema), held);
        case "GET /server_info":
          return {
            uptime: (Date.now() - session.startedAt) / 1_000,
            idle_time: (Date.now() - session.usedAt) / 1_000,
            resources: {},
          };
        case "GET /vscode/connection_token":
          return { token: null };
      }
      throw new HttpError(404, `there is no ${route} of a runtime`);
    });
  }

  /** The session's key, or the server's. */
  #mayUse(call: Call, session: Session): void {
    const own = isSameKey(call.header("x-session-api-key"), session.key);
    if (!own && !isSameKey(call.header("x-api-key"), this.#options.apiKey))
      throw new HttpError(403, "X-Session-API-Key is not the key of this runtime");
  }

  #agent(session: Session, workspace: string): Agent {
    const known = this.#agents.get(session);
    if (known) return known;
    const agent = { terminal: new Terminal(session.environment, workspace), history: {} };
    this.#agents.set(session, agent);
    return agent;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: string) => socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
    socket.on("error", () => {});
    try {
      const call = new Call(request, null);
      const [first, id = "", last] = call.path;
      if (first !== "runtime" || last !== "channel" || request.headers.upgrade !== "actors-sandbox")
        return void refuse("404 Not Found");
      const session = this.#sessions.find(id);
      this.#mayUse(call, session);
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: actors-sandbox\r\n\r\n");
      this.#channels.add(socket);
      const { proven } = this.#options.guarantees;
      serveChannel(socket, head, proven, (ops, options) => session.use((sandbox) => sandbox.run(ops, options)))
        .then(() => this.#sessions.stop(session, "its owner left"))
        .catch((error) => this.#options.log.warn({ err: error }, "a session could not be stopped"))
        .finally(() => this.#channels.delete(socket));
    } catch (error) {
      refuse(`${statusOf(error)} Refused`);
    }
  }

  /** As OpenHands reads it, and `workspace`. */
  #told(session: Session, call: Call): object {
    const { status, state } = session;
    const proto = call.header("x-forwarded-proto") === "https" ? "https" : "http";
    return {
      ...{ runtime_id: session.id, session_id: session.name, session_api_key: session.key, status },
      url: `${proto}://${call.url.host}/runtime/${session.id}`,
      ...{ work_hosts: {}, image: session.image, ports: [], resources: {}, network: "none" },
      ...{ pod_status: status === "running" ? "ready" : status, restart_count: 0, restart_reasons: [] },
      ...{
        created_at: new Date(session.startedAt).toISOString(),
        started_at: new Date(session.startedAt).toISOString(),
      },
      ...(state && "lease" in state && { workspace: state.lease.workspace }),
    };
  }
}
