import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import type { FromAgent, ToAgent } from "./agent-main.js";
import { clusterFileIn, type NodeFile } from "./state.js";

/** Exit code of a node that may run actors no longer, though it lives; the launcher starts it anew. */
export const fencedExit = 75;

const main = fileURLToPath(new URL("./agent-main.js", import.meta.url));
const readyMs = 30_000;
const stopMs = 15_000;

/** The launcher's hold on one node agent: a process that loads its modules, then waits to be told to join. */
export class AgentProcess {
  readonly node: string;
  readonly slot: number;
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #up: Promise<void>;
  readonly #exited: Promise<void>;
  #stopping = false;
  #isReady = false;

  constructor(at: { stateDir: string; node: string; slot: number }) {
    this.node = at.node;
    this.slot = at.slot;
    const logs = join(at.stateDir, "logs");
    mkdirSync(logs, { recursive: true });
    this.#log = join(logs, `node-${at.node}.log`);
    const log = openSync(this.#log, "a");
    this.#child = fork(main, [], {
      env: {
        ...process.env,
        ACTORS_CLUSTER: clusterFileIn(at.stateDir),
        ACTORS_NODE: at.node,
        ACTORS_SLOT: String(at.slot),
      },
      stdio: ["ignore", log, log, "ipc"],
      detached: true, // a session of its own: Ctrl-C at the terminal reaches the launcher alone
    });
    closeSync(log);
    this.#exited = new Promise((resolve) => this.#child.once("exit", () => resolve()));
    this.#up = new Promise<void>((resolve, reject) => {
      this.#child.on("message", (message: FromAgent) => {
        if (!message.ready) return;
        this.#isReady = true;
        resolve();
      });
      const failed = (how: string, cause?: unknown) =>
        reject(
          new ActorsError("START_FAILED", `node ${at.node} did not start: ${how}`, {
            cause,
            hint: `Its log is ${this.#log}.`,
          }),
        );
      this.#child.once("error", (cause) => failed(cause.message, cause));
      this.#child.once("exit", (code, signal) => failed(`it ended ${ending(code, signal)}`));
    });
    this.#up.catch(() => {}); // whoever waits hears of it; nobody waiting is no crash
  }

  /**
   * Resolves when the node is in the directory. What it needs to know goes over a pipe: control's secrets lie in no file.
   * @throws ActorsError START_FAILED, DEADLINE_EXCEEDED
   */
  async join(cluster: NodeFile): Promise<void> {
    if (this.#child.connected) this.#child.send({ join: cluster } satisfies ToAgent, () => {});
    await withDeadline(this.#up, readyMs, `the start of node ${this.node} (log: ${this.#log})`);
  }

  /** Told when the process ends and nobody asked it to. */
  onExit(told: (how: string) => void): void {
    this.#child.once("exit", (code, signal) => !this.#stopping && told(ending(code, signal)));
  }

  async stop(reason: string): Promise<void> {
    this.#stopping = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (!this.#isReady)
      this.#child.kill("SIGKILL"); // it hosts nothing yet that would want to end well
    else if (this.#child.connected) this.#child.send({ stop: reason } satisfies ToAgent, () => {});
    const late = setTimeout(() => this.#child.kill("SIGKILL"), stopMs);
    await this.#exited;
    clearTimeout(late);
  }
}

/** For slots 1, 2, …; they load their modules, and wait to be told of the cluster. @param place begins their names */
export const forkAgents = (stateDir: string, nodes: number, place = "") =>
  Array.from({ length: nodes }, (_, i) => new AgentProcess({ stateDir, node: `${place}n${i + 1}`, slot: i + 1 }));

export const ending = (code: number | null, signal: string | null) =>
  signal ? `on ${signal}` : `with exit code ${code}`;
