import { pause } from "../../../runtime/index.js";
import type { Lease } from "../lease.js";
import type { OpResult } from "../session.js";

/** Of a command, when its action says nothing; it goes on, and its answer says so. */
const quietMs = 30_000;
/** A command ends at the latest then, whoever waits for it. */
const longestMs = 3_600_000;
const maxOutput = 1 << 20;
const shell = "main";

export interface Line {
  command: string;
  /** For the command that runs: `C-c`, or nothing, which asks what it printed since. */
  isInput: boolean;
  /** Wait for its end, however long it is quiet. */
  isBlocking: boolean;
  timeoutMs: number;
}

export interface Shown {
  output: string;
  /** -1 while it runs. */
  exitCode: number;
  folder: string;
  /** What to know beside the output. */
  remark: string;
}

interface Running {
  command: string;
  unread: Buffer[];
  /** Wakes who waits for output. */
  heard: () => void;
  ended: Promise<OpResult | undefined>;
  result: OpResult | undefined;
}

/**
 * The lasting shell of a session, as agents use a terminal: stdout and stderr are one, and a command that takes long goes on
 * while its output is read piece by piece.
 */
export class Terminal {
  readonly #environment: Readonly<Record<string, string>>;
  #running: Running | undefined;
  #folder: string;
  #isReady = false;

  constructor(environment: Readonly<Record<string, string>>, folder: string) {
    this.#environment = environment;
    this.#folder = folder;
  }

  /** After a pause its shell is another one, with the same folder and exported variables. */
  renew(): void {
    this.#isReady = false;
    this.#running = undefined;
  }

  async run(sandbox: Lease, line: Line, signal: AbortSignal): Promise<Shown> {
    const running = this.#running;
    if (line.command.trim() === "" || line.isInput) {
      if (!running) return this.#shown("", -1, "[no command runs]");
      const key = line.command.trim().toUpperCase();
      if (key !== "" && key !== "C-C" && key !== "CTRL+C")
        return this.#shown(this.#read(running), -1, "[commands have no input here: only C-c reaches them]");
      if (key !== "") await sandbox.shell(shell).interrupt();
      return this.#follow(running, line, signal);
    }
    if (running) {
      const why = `[the command before is still running, so this one was not started. Send an empty command for its output, or C-c]`;
      return this.#shown(this.#read(running), -1, why);
    }
    return this.#follow(await this.#start(sandbox, line.command), line, signal);
  }

  async #start(sandbox: Lease, command: string): Promise<Running> {
    if (!this.#isReady) {
      const variables = Object.entries(this.#environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
      await sandbox.shell(shell).run(["exec 2>&1", ...variables].join("\n"));
      this.#isReady = true;
    }
    const running: Running = {
      command,
      unread: [],
      heard: () => {},
      result: undefined,
      ended: Promise.resolve(undefined),
    };
    const exec = { argv: [command], shell, tag: `shell ${shell}`, timeoutMs: longestMs, maxOutput, stream: true };
    running.ended = sandbox
      .run([{ exec }], {
        onOutput: ({ stdout }) => {
          running.unread.push(Buffer.from(stdout));
          running.heard();
        },
      })
      .then(([result]) => {
        running.result = result;
        return result;
      });
    running.ended.catch(() => {}); // told to who follows it
    this.#running = running;
    return running;
  }

  /** Until it ends, its time is over, or it is quiet for long. @throws when the sandbox is lost */
  async #follow(running: Running, { isBlocking, timeoutMs }: Line, signal: AbortSignal): Promise<Shown> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const left = until - Date.now();
      const waiting = new AbortController();
      const stop = AbortSignal.any([signal, waiting.signal]);
      const heard = new Promise<"heard">((resolve) => {
        running.heard = () => resolve("heard");
      });
      const quiet = pause(isBlocking ? left : Math.min(left, quietMs), stop).then(() => "quiet" as const);
      try {
        const what = await Promise.race([running.ended, heard, quiet]);
        if (what === "heard" && left > 0) continue;
        if (what === "heard" || what === "quiet") break;
        return this.#ended(running);
      } catch (error) {
        this.renew();
        throw error;
      } finally {
        waiting.abort();
      }
    }
    const why = Date.now() >= until ? `its ${timeoutMs / 1_000} s are over` : `it was quiet for ${quietMs / 1_000} s`;
    const how = "Send an empty command for more of its output, or C-c to interrupt it";
    return this.#shown(this.#read(running), -1, `[the command still runs; ${why}. ${how}]`);
  }

  #ended(running: Running): Shown {
    const { result } = running;
    this.#running = undefined;
    this.#folder = result?.cwd || this.#folder;
    if (result?.shellLost) this.#isReady = false;
    const remarks = [
      result?.truncated && "[some of the output was cut]",
      result?.shellLost && "[the shell ended: this is a new one]",
    ];
    const exitCode = result?.signal ? 128 : (result?.exitCode ?? -1);
    return this.#shown(this.#read(running), exitCode, remarks.filter(Boolean).join(" "));
  }

  #read(running: Running): string {
    return Buffer.concat(running.unread.splice(0)).toString("utf8");
  }

  #shown(output: string, exitCode: number, remark: string): Shown {
    return { output, exitCode, folder: this.#folder, remark };
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
