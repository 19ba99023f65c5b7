import type { Socket } from "node:net";
import { withDeadline } from "../core/wait.js";

/** Reads a socket by the byte. Every wait ends with the connection, or after a time of silence. */
export class Incoming {
  readonly #socket: Socket;
  readonly #quietMs: number;
  #chunks: Buffer[] = [];
  #wake: (() => void) | undefined;
  #ended: Error | undefined;

  constructor(socket: Socket, quietMs: number) {
    this.#socket = socket;
    this.#quietMs = quietMs;
    socket.on("data", (chunk) => {
      this.#chunks.push(chunk);
      socket.pause(); // until it is read
      this.#wake?.();
    });
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(new Error("the connection was closed")));
  }

  async take(bytes: number): Promise<Buffer> {
    const taken = Buffer.alloc(bytes);
    await this.fill(taken);
    return taken;
  }

  async fill(into: Uint8Array): Promise<void> {
    for (let at = 0; at < into.length; ) {
      const chunk = this.#chunks.shift();
      if (!chunk) {
        if (this.#ended) throw this.#ended;
        this.#socket.resume();
        await this.#quiet(new Promise<void>((resolve) => (this.#wake = resolve)), "the other side's bytes");
        continue;
      }
      const used = chunk.subarray(0, into.length - at);
      into.set(used, at);
      at += used.length;
      if (used.length < chunk.length) this.#chunks.unshift(chunk.subarray(used.length));
    }
  }

  /** Resolves when the bytes have left, so that they are not changed on the way. */
  async sent(bytes: Uint8Array): Promise<void> {
    const left = new Promise<void>((resolve, reject) => {
      this.#socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#quiet(left, "the other side to take its bytes");
  }

  #quiet<T>(promise: Promise<T>, what: string): Promise<T> {
    return withDeadline(promise, this.#quietMs, what);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#wake?.();
  }
}
