import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import { ActorsError, type Code } from "../../../runtime/index.js";

/** Of JSON, which may hold the text of a file. */
const maxJson = 32 << 20;

/** A request that cannot be met, as the client sees it: its message is the `detail`. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** A request whose body was not read yet. */
export class Call {
  readonly method: string;
  readonly url: URL;
  /** Its parts between slashes, decoded. */
  readonly path: readonly string[];
  readonly headers: IncomingMessage["headers"];
  /** Aborts when the client leaves before its answer. */
  readonly signal: AbortSignal;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, response: ServerResponse | null) {
    this.#request = request;
    this.method = request.method ?? "GET";
    this.headers = request.headers;
    try {
      this.url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
      this.path = this.url.pathname.split("/").slice(1).map(decodeURIComponent);
    } catch {
      throw new HttpError(400, "the URL or the host is not one");
    }
    const leaving = new AbortController();
    response?.once("close", () => {
      if (!response.writableFinished) leaving.abort();
    });
    this.signal = leaving.signal;
  }

  /** @throws HttpError 413 for more than that many bytes */
  async body(max: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max) throw new HttpError(413, `the body is larger than ${max} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** @throws HttpError 422 that names the field */
  async json<V extends z.ZodType>(schema: V): Promise<z.output<V>> {
    const text = (await this.body(maxJson)).toString("utf8");
    let value: unknown;
    try {
      value = text === "" ? {} : JSON.parse(text);
    } catch {
      throw new HttpError(422, "the body is not JSON");
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new HttpError(422, `${issue?.path.join(".") || "the body"}: ${issue?.message}`);
  }

  query(name: string): string {
    const value = this.url.searchParams.get(name);
    if (value === null) throw new HttpError(422, `the query needs ${name}`);
    return value;
  }

  header(name: string): string {
    const value = this.headers[name];
    return typeof value === "string" ? value : "";
  }
}

/** Bytes of a kind, with the name to save them as; anything else is JSON. */
export class Download {
  readonly bytes: Buffer;
  readonly type: string;
  readonly name: string;

  constructor(bytes: Buffer, type: string, name: string) {
    this.bytes = bytes;
    this.type = type;
    this.name = name;
  }
}

export function send(response: ServerResponse, answer: unknown): void {
  if (answer instanceof Download) {
    const { bytes, type, name } = answer;
    const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    response.writeHead(200, {
      ...{ "content-type": type, "content-length": bytes.length, "content-disposition": disposition },
    });
    return void response.end(bytes);
  }
  sendJson(response, 200, answer);
}

export function sendError(response: ServerResponse, error: unknown): void {
  sendJson(response, statusOf(error), { detail: detailOf(error) });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value));
  // Of a request that was refused before it was read, the rest is not read.
  const close = status >= 400 ? { connection: "close" } : {};
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length, ...close });
  response.end(bytes);
}

const statuses: Partial<Record<Code, number>> = {
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  OVERLOADED: 429,
  RESOURCE_EXHAUSTED: 507,
  UNAVAILABLE: 502,
  DEADLINE_EXCEEDED: 504,
  ACTOR_STOPPED: 502,
};

/** 502 and 504 tell a client that its sandbox is lost. */
export function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  return (error instanceof ActorsError && statuses[error.code]) || 500;
}

export function detailOf(error: unknown): string {
  if (error instanceof HttpError) return error.message;
  return error instanceof ActorsError ? error.rawMessage : "it failed for a reason that the log has";
}

/** In a time that tells nothing of where they differ. */
export function isSameKey(given: string, key: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(key));
}
