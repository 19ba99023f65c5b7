import { type ExecResult, execResult, succeeded, wholeMs } from "./exec.js";
import type { SandboxSession } from "./session.js";

export interface ShellOptions {
  /** Past it the command is interrupted, then what it started is killed, then the shell. Default 10 s. */
  timeoutMs?: number;
  maxOutput?: number;
  /** Kills what runs; the shell too if it does not let go. */
  signal?: AbortSignal;
}

export interface ShellResult extends ExecResult {
  /** The shell's folder now. */
  cwd: string;
  /** It ended (`exit`, or it would not stop): the next command gets a new shell in the same folder, without its variables. */
  shellLost: boolean;
}

/**
 * A bash whose folder, variables, functions and background processes last from command to command. A command has no input; what
 * the background writes appears with the next command. One command at a time.
 */
export class Shell {
  readonly name: string;
  readonly #sandbox: SandboxSession;

  constructor(sandbox: SandboxSession, name: string) {
    this.#sandbox = sandbox;
    this.name = name;
  }

  /** @throws ActorsError INVALID_ARGUMENT while another command runs in it */
  async run(command: string, { timeoutMs, maxOutput, signal }: ShellOptions = {}): Promise<ShellResult> {
    const exec = {
      argv: [command],
      shell: this.name,
      tag: this.#tag,
      ...(timeoutMs !== undefined && { timeoutMs: wholeMs(timeoutMs) }),
      ...(maxOutput !== undefined && { maxOutput }),
    };
    const result = succeeded((await this.#sandbox.run([{ exec }], signal ? { signal } : {}))[0]);
    return { ...execResult(result), cwd: result.cwd, shellLost: result.shellLost };
  }

  /** As Ctrl-C does. False when nothing runs. */
  async interrupt(): Promise<boolean> {
    const [result] = await this.#sandbox.run([{ kill: { tag: this.#tag, signal: "SIGINT" } }]);
    return result?.ok ?? false;
  }

  get #tag(): string {
    return `shell ${this.name}`;
  }
}
