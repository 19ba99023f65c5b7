import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import { youngGeneration } from "../hosting/workers.js";
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
  readonly #stateDir: string;
  readonly #log: string;
  #child: ChildProcess | undefined;
  #up: Promise<void> | undefined;
  #stopping = false;
  #isReady = false;

  constructor(at: { stateDir: string; node: string; slot: number }) {
    this.node = at.node;
    this.slot = at.slot;
    this.#stateDir = at.stateDir;
    this.#log = join(at.stateDir, "logs", `node-${at.node}.log`);
  }

  /** Once; `join` does it too. */
  fork(): ChildProcess {
    if (this.#child) return this.#child;
    mkdirSync(dirname(this.#log), { recursive: true });
    const log = openSync(this.#log, "a");
    const child = fork(main, [], {
      execArgv: [...process.execArgv, youngGeneration],
      env: {
        ...process.env,
        ACTORS_CLUSTER: clusterFileIn(this.#stateDir),
        ACTORS_NODE: this.node,
        ACTORS_SLOT: String(this.slot),
      },
      stdio: ["ignore", log, log, "ipc"],
      detached: true, // a session of its own: Ctrl-C at the terminal reaches the launcher alone
    });
    closeSync(log);
    this.#child = child;
    this.#up = new Promise<void>((resolve, reject) => {
      child.on("message", (message: FromAgent) => {
        if (!message.ready) return;
        this.#isReady = true;
        resolve();
      });
      const failed = (how: string, cause?: unknown) =>
        reject(
          new ActorsError("START_FAILED", `node ${this.node} did not start: ${how}`, {
            cause,
            hint: `Its log is ${this.#log}.`,
          }),
        );
      child.once("error", (cause) => failed(cause.message, cause));
      child.once("exit", (code, signal) => failed(`it ended ${ending(code, signal)}`));
    });
    this.#up.catch(() => {}); // whoever waits hears of it; nobody waiting is no crash
    return child;
  }

  /**
   * Resolves when the node is in the directory. What it needs to know goes over a pipe: control's secrets lie in no file.
   * @throws ActorsError START_FAILED, DEADLINE_EXCEEDED, CANCELLED when it was stopped
   */
  async join(cluster: NodeFile): Promise<void> {
    if (this.#stopping) throw new ActorsError("CANCELLED", `node ${this.node} was stopped before it started`);
    const child = this.fork();
    if (child.connected) child.send({ join: cluster } satisfies ToAgent, () => {});
    await withDeadline(this.#up!, readyMs, `the start of node ${this.node} (log: ${this.#log})`);
  }

  /** Told when the process ends and nobody asked it to. */
  onExit(told: (how: string) => void): void {
    this.#child?.once("exit", (code, signal) => !this.#stopping && told(ending(code, signal)));
  }

  async stop(reason: string): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    if (!this.#isReady)
      child.kill("SIGKILL"); // it hosts nothing yet that would want to end well
    else if (child.connected) child.send({ stop: reason } satisfies ToAgent, () => {});
    const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
    await exited;
    clearTimeout(late);
  }
}

/** How many start at once: each computes until its modules are there, and would starve the others' heartbeats. */
export const startsAtOnce = Math.max(4, 2 * availableParallelism());

/** For slots 1, 2, …; they wait to be told of the cluster, and the first load their modules meanwhile. @param place begins their names */
export function forkAgents(stateDir: string, nodes: number, place = ""): AgentProcess[] {
  const agents = Array.from(
    { length: nodes },
    (_, i) => new AgentProcess({ stateDir, node: `${place}n${i + 1}`, slot: i + 1 }),
  );
  for (const agent of agents.slice(0, startsAtOnce)) agent.fork();
  return agents;
}

export const ending = (code: number | null, signal: string | null) =>
  signal ? `on ${signal}` : `with exit code ${code}`;
