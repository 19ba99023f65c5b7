import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { type EndpointId, newId } from "../core/ids.js";
import { encodeHello, framed } from "./framing.js";
import type { Transport } from "./transport.js";

const worthALink = 4; // batches to a peer before one is opened
const firstAgainMs = 50; // after a link was lost or could not be opened; twice as long after each further time
const longestAgainMs = 10_000;
const highWaterBytes = 1 << 20;

/** A link that neither opens nor closes within this is given up. */
export const patienceMs = 1_000;

export interface OutLinkOptions {
  from: EndpointId;
  to: EndpointId;
  /** The peer's socket. */
  path: string;
  /** The way that is always there. */
  base: Transport;
  /** What was sent may go now. */
  ready(): void;
  /** The link was open, and what went over it may not have come. */
  lost(): void;
}

/** The way from one endpoint to one peer: the base transport, or a socket once one is worth it and open. */
export class OutLink {
  readonly #options: OutLinkOptions;
  #state: "base" | "connecting" | "opening" | "open" = "base";
  #socket: Socket | undefined;
  #sent = 0;
  #failures = 0;
  #notBefore = 0;
  #closing = false;

  constructor(options: OutLinkOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** No while the link opens, so that nothing overtakes the hello. */
  reaches(): boolean {
    if (this.#state === "open") return this.#closing || !this.#socket!.writableNeedDrain;
    return this.#state !== "opening" && this.#options.base.reaches(this.#options.to);
  }

  send(batch: Uint8Array): void {
    if (this.#state === "open") return void this.#socket!.write(framed(batch));
    this.#options.base.send(this.#options.to, batch);
    if (this.#state === "base" && ++this.#sent >= worthALink && !this.#closing && performance.now() >= this.#notBefore)
      this.#connect();
  }

  /** The base was lost, and with it perhaps the hello. */
  baseLost(): void {
    if (this.#state === "opening") this.#socket!.destroy();
  }

  /** From here on everything is taken: nothing waits for room, or for a link that opens. */
  takeAll(): void {
    this.#closing = true;
    if (this.#state !== "open") this.#abandon();
  }

  /** Hands what was written to the kernel, for at most a second. */
  async end(): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    const late = setTimeout(() => socket.destroy(), patienceMs);
    socket.end();
    if (!socket.closed) await once(socket, "close").catch(() => {});
    clearTimeout(late);
  }

  #connect(): void {
    const { from, to, path, base, ready } = this.#options;
    const options = { path, highWaterMark: highWaterBytes };
    const socket = createConnection(options);
    this.#socket = socket;
    this.#state = "connecting";
    socket.unref();
    const late = setTimeout(() => socket.destroy(), patienceMs);
    late.unref();
    let absent = false;
    // A peer opens its socket before anyone knows of it: one that has none never will, or has ended.
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      absent = code === "ENOENT" || code === "ECONNREFUSED";
    });
    socket.once("close", () => {
      clearTimeout(late);
      if (this.#socket === socket) this.#gone(absent);
    });
    socket.once("connect", () => {
      if (this.#socket !== socket) return;
      if (!base.reaches(to)) return void socket.destroy();
      const hello = encodeHello({ from, link: newId("l") });
      base.send(to, hello);
      socket.write(framed(hello));
      this.#state = "opening";
    });
    socket.once("data", () => {
      if (this.#socket !== socket || this.#state !== "opening") return;
      clearTimeout(late);
      this.#state = "open";
      this.#failures = 0;
      ready();
    });
    socket.on("drain", ready);
  }

  #gone(absent: boolean): void {
    const wasOpen = this.#state === "open";
    this.#abandon();
    this.#notBefore = absent
      ? Number.POSITIVE_INFINITY
      : performance.now() + Math.min(longestAgainMs, firstAgainMs * 2 ** this.#failures++);
    if (wasOpen) this.#options.lost();
    else this.#options.ready();
  }

  #abandon(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#state = "base";
    this.#sent = 0;
    socket?.destroy();
  }
}
