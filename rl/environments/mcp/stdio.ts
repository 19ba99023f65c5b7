import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { ActorsError } from "../../../runtime/index.js";
import { OwnedProcess, type ProgramOptions } from "../owned-process.js";

/** JSON-RPC by lines with a program that cannot outlive us. */
export class StdioTransport implements Transport {
  readonly #what: string;
  readonly #program: ProgramOptions;
  #process: OwnedProcess | undefined;
  /** Why there is no program any more. */
  ended: ActorsError | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(what: string, program: ProgramOptions) {
    this.#what = what;
    this.#program = program;
  }

  async start(): Promise<void> {
    this.#process = new OwnedProcess(this.#what, this.#program);
    this.#process.onLine = (line) => this.#read(line);
    this.#process.onEnd = (error) => {
      this.ended = error;
      this.onclose?.();
    };
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#process?.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  #read(line: string): void {
    try {
      this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(line)));
    } catch (error) {
      this.onerror?.(error as Error); // a line that is no message is left out, as the protocol says
    }
  }
}
