import { rmSync } from "node:fs";
import { ActorsError } from "../core/errors.js";
import type { Logger } from "../core/log.js";
import { pause, withDeadline } from "../core/wait.js";
import type { Directory } from "../directory/directory.js";
import { Boots } from "../hosting/boots.js";
import { AgentProcess, startsAtOnce } from "./agent-process.js";
import type { Connected } from "./connect.js";
import { freeLease } from "./election.js";
import { emit } from "./events.js";
import { leaseFile, leaseVerdict } from "./fence.js";
import { coordinatorHandle } from "./protocol.js";
import type { NodeFile } from "./state.js";

const startMs = 40_000; // each node has its own, shorter deadline
const reportMs = 30_000;
const leaveMs = 5_000;
const knownMs = 10_000;
const respawnMs = 200; // a node that dies at once again and again does not spin
const retryMs = 1_000;

/** The node agents of this process, kept alive until they are stopped. */
export class Crew {
  readonly #agents: Map<number, AgentProcess>;
  readonly #log: Logger;
  /** So that many that start, or start anew, do not end each other. */
  readonly #turns = new Boots(startsAtOnce);
  #cluster: NodeFile | undefined;
  #runtime: Connected | undefined;
  #started = false;
  #stopped = false;

  /** @param agents forked for slots 1, 2, …; they wait to be told that there is a cluster to join */
  constructor(agents: readonly AgentProcess[], log: Logger) {
    this.#agents = new Map(agents.map((agent) => [agent.slot, agent]));
    this.#log = log;
  }

  /** Resolves once all of them are nodes of the cluster, and this process knows them. @throws ActorsError */
  async join(cluster: NodeFile, connecting: Promise<Connected>, signal?: AbortSignal): Promise<void> {
    this.#cluster = cluster;
    const up = Promise.all([...this.#agents.values()].map((agent) => this.#join(agent)));
    up.catch(() => {}); // also awaited below
    this.#runtime = await connecting;
    const rounds = Math.ceil(this.#agents.size / startsAtOnce);
    await withDeadline(up, startMs * rounds, "the start of the nodes", signal);
    await untilKnown(this.#runtime.directory, this.#names, signal);
    this.#started = true;
  }

  async stop(reason: string): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled([...this.#agents.values()].map((agent) => agent.stop(reason)));
  }

  /** Once they are stopped: what ran on them is started elsewhere at once, and nothing tells of them any more. */
  async leave(reason: string): Promise<void> {
    const { directory, endpoint } = this.#runtime!;
    const tell = coordinatorHandle(endpoint.calls).nodeGone.with({ timeoutMs: leaveMs });
    const gone = this.#names.map(async (node) => {
      await tell(node, reason);
      await directory.store.delete(`node.${node}`);
    });
    await withDeadline(Promise.allSettled(gone), 2 * leaveMs, "leaving the cluster").catch(() => {});
  }

  get #names(): string[] {
    return [...this.#agents.values()].map(({ node }) => node);
  }

  async #join(agent: AgentProcess): Promise<void> {
    const end = await this.#turns.enter();
    try {
      await agent.join(this.#cluster!);
      agent.onExit((how) => void this.#died(agent, how));
    } finally {
      end();
    }
  }

  async #died({ slot, node }: AgentProcess, how: string): Promise<void> {
    if (this.#stopped || !this.#started) return;
    const { directory, endpoint, bus } = this.#runtime!;
    const lease = leaseFile(this.#cluster!.shmPrefix, node);
    const why = leaseVerdict(lease) ?? `its agent ended ${how}`;
    rmSync(lease, { force: true });
    for (let next = nextIncarnation(node); !this.#stopped; await pause(retryMs)) {
      try {
        await freeLease(directory, node);
        const tell = coordinatorHandle(endpoint.calls).nodeGone.with({ timeoutMs: reportMs });
        const told = tell(node, why).catch((err) => {
          if (!this.#stopped) this.#log.warn({ err, node }, "no coordinator was told; the node's silence will tell it");
        });
        await pause(respawnMs);
        if (this.#stopped) return;
        const agent = new AgentProcess({ stateDir: this.#cluster!.stateDir, node: next, slot });
        this.#agents.set(slot, agent);
        await Promise.all([this.#join(agent), told]);
        await directory.store.delete(`node.${node}`);
        emit(bus, "node-up", next, `node ${node} was started again as ${next}`);
        return;
      } catch (error) {
        if (this.#stopped) return;
        this.#log.error({ err: error, node }, "a dead node could not be replaced; trying again");
        const { rawMessage } = ActorsError.from(error);
        emit(bus, "node-dead", node, `node ${node} ended ${how} and could not be started again yet: ${rawMessage}`);
        await this.#agents.get(slot)?.stop("its start failed");
        next = nextIncarnation(next);
      }
    }
  }
}

/** A node is ready a moment before the directory's watch tells of it. */
async function untilKnown(directory: Directory, nodes: readonly string[], signal?: AbortSignal): Promise<void> {
  let stop = () => {};
  const known = new Promise<void>((resolve) => {
    const look = () => nodes.every((node) => directory.nodes.has(node)) && resolve();
    stop = directory.onNode(look);
    look();
  });
  await withDeadline(known, knownMs, "the directory's word of the nodes", signal).finally(stop);
}

/** n2, then n2-1, n2-2: the same place, another life. */
export function nextIncarnation(node: string): string {
  const [slot, life] = node.split("-");
  return `${slot}-${Number(life ?? 0) + 1}`;
}
