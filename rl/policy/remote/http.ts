import { ActorsError, isActorsError } from "../../../runtime/index.js";

export interface CallOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Of an error, where the server may be another one when it comes back. */
const outOfReach = { outOfReach: true };
export const wasOutOfReach = (error: unknown) =>
  isActorsError(error, "UNAVAILABLE") && error.details["outOfReach"] === true;

/** A server that speaks JSON over HTTP, as one that is called with a deadline and fails in typed errors that name it. */
export class JsonServer {
  readonly url: string;

  /** @param address `host:port`, or a URL */
  constructor(address: string) {
    this.url = (/^https?:\/\//.test(address) ? address : `http://${address}`).replace(/\/+$/, "");
  }

  get(path: string, options: CallOptions): Promise<unknown> {
    return this.#call("GET", path, undefined, options);
  }

  post(path: string, body: unknown, options: CallOptions): Promise<unknown> {
    return this.#call("POST", path, body, options);
  }

  /**
   * The answer; null where it is no JSON.
   * @throws ActorsError NOT_FOUND for a route that is not there, INVALID_ARGUMENT for what the server refuses, UNAVAILABLE (retryable)
   * when it fails or cannot be reached, DEADLINE_EXCEEDED
   */
  async #call(method: string, path: string, body: unknown, { timeoutMs, signal }: CallOptions): Promise<unknown> {
    const what = `${method} ${this.url}${path}`;
    const deadline = AbortSignal.timeout(timeoutMs);
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });
      status = response.status;
      text = await response.text();
    } catch (cause) {
      if (signal?.aborted) throw new ActorsError("CANCELLED", `${what} was given up`, { cause });
      if (deadline.aborted) {
        throw new ActorsError("DEADLINE_EXCEEDED", `${what} took longer than ${timeoutMs} ms`, { cause });
      }
      const why = (cause as { cause?: Error }).cause?.message ?? (cause as Error).message;
      throw new ActorsError("UNAVAILABLE", `${what} failed: ${why}`, { cause, details: outOfReach });
    }
    if (status >= 200 && status < 300) return parsed(text);
    const code = status === 404 ? "NOT_FOUND" : status < 500 && status !== 429 ? "INVALID_ARGUMENT" : "UNAVAILABLE";
    throw new ActorsError(code, `${what} answered ${status}: ${text.slice(0, 300)}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
