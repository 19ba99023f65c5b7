import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ActorsError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { pause, withDeadline } from "../core/wait.js";
import type { Directory } from "../directory/directory.js";
import { defaultLimits, shareOf } from "../objects/limits.js";
import { ActorSystem, type SystemEvent } from "../system.js";
import { connectNats, makeKv } from "../transport/nats.js";
import { AgentProcess } from "./agent-process.js";
import { bucketOf, type Connected, connectRuntime } from "./connect.js";
import { freeLease } from "./election.js";
import { emit } from "./events.js";
import { leaseFile, leaseVerdict } from "./fence.js";
import { type NatsServer, startNatsServer } from "./nats-server.js";
import { coordinatorHandle } from "./protocol.js";
import { removeRemains, sharedMemoryPrefix } from "./remains.js";
import type { Cluster, ClusterOptions } from "./start.js";
import { type ClusterFile, clusterFileIn, writeClusterFile } from "./state.js";

const startMs = 40_000; // each node has its own, shorter deadline
const reportMs = 30_000;
const knownMs = 10_000;
const defaultSpares = 1;
const respawnMs = 200; // a node that dies at once again and again does not spin

/** Keeps nats-server and the node agents alive: see `startCluster`. */
export class Launcher implements Cluster {
  readonly file: string;
  readonly #options: ClusterOptions;
  readonly #agents: Map<number, AgentProcess>;
  readonly #log = makeLogger("up");
  #cluster: ClusterFile | undefined;
  #nats: NatsServer | undefined;
  #runtime: Connected | undefined;
  #system: ActorSystem | undefined;
  #started = false;
  #stopped: Promise<void> | undefined;

  /** @param agents forked for slots 1, 2, …; they wait to be told that there is a cluster to join */
  constructor(options: ClusterOptions, agents: readonly AgentProcess[]) {
    this.#options = options;
    this.#agents = new Map(agents.map((agent) => [agent.slot, agent]));
    this.file = clusterFileIn(options.stateDir);
  }

  get system(): ActorSystem {
    return this.#system!;
  }

  async start(): Promise<void> {
    const { nodes, offers = {}, stateDir, signal } = this.#options;
    const id = newId("c");
    const dir = mkdtempSync(join(tmpdir(), `actors-${process.pid}-`));
    const token = randomBytes(24).toString("hex");
    const base = {
      cluster: id,
      token,
      pid: process.pid,
      nodes,
      offers,
      spares: this.#options.spares ?? defaultSpares,
      startedAt: Date.now(),
      stateDir,
      dir,
      shmPrefix: sharedMemoryPrefix(id),
      objects: shareOf({ ...defaultLimits(dir), ...this.#options.objects }, nodes),
    };
    this.#cluster = { ...base, url: "", natsPid: 0 };

    await this.#step(
      () => `nats-server on ${this.#nats!.url}`,
      async () => {
        const { port } = this.#options;
        this.#nats = await startNatsServer({ dir: join(stateDir, "nats"), token, ...(port !== undefined && { port }) });
        this.#cluster = { ...base, url: this.#nats.url, natsPid: this.#nats.pid };
        this.#nats.onExit((how) => void this.#natsDied(how));
        if (signal?.aborted) throw new ActorsError("CANCELLED", "the start was cancelled", { cause: signal.reason });
        const nc = await connectNats(this.#cluster, "launcher");
        await makeKv(nc, bucketOf(id));
        await nc.close();
        writeClusterFile(this.file, this.#cluster);
      },
    );
    await this.#step(
      () => `${nodes} node agent${nodes === 1 ? "" : "s"}`,
      async () => {
        const up = [...this.#agents.values()].map((agent) => this.#join(agent));
        this.#runtime = await connectRuntime(this.#cluster!, { node: "", log: this.#log, name: "up", heartbeat: true });
        this.#system = new ActorSystem(this.#runtime, this.#runtime.endpoint.id);
        await withDeadline(Promise.all(up), startMs, "the start of the nodes", signal);
        await untilKnown(this.#runtime.directory, nodes, signal);
        this.#started = true;
      },
    );
  }

  onEvent(heard: (event: SystemEvent) => void): () => void {
    return this.#system!.onEvent(heard);
  }

  stop(reason: string): Promise<void> {
    this.#stopped ??= this.#shutdown(reason);
    return this.#stopped;
  }

  async #shutdown(reason: string): Promise<void> {
    await this.#system?.close().catch(() => {});
    await Promise.allSettled([...this.#agents.values()].map((agent) => agent.stop(reason)));
    await this.#runtime?.close(reason).catch(() => {});
    await this.#nats?.stop().catch(() => {});
    if (!this.#cluster) return;
    removeRemains(this.#cluster);
    rmSync(this.file, { force: true });
  }

  async #step(text: () => string, work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await work();
    this.#options.onStep?.(text(), performance.now() - started);
  }

  async #join(agent: AgentProcess): Promise<void> {
    agent.onExit((how) => void this.#agentDied(agent, how));
    await agent.join();
  }

  async #agentDied({ slot, node }: AgentProcess, how: string): Promise<void> {
    if (this.#stopped || !this.#started || !this.#runtime) return;
    const { directory, endpoint, bus } = this.#runtime;
    const next = nextIncarnation(node);
    const lease = leaseFile(this.#cluster!.shmPrefix, node);
    const why = leaseVerdict(lease) ?? `its agent ended ${how}`;
    rmSync(lease, { force: true });
    try {
      await freeLease(directory, node);
      const tell = coordinatorHandle(endpoint.calls).nodeGone.with({ timeoutMs: reportMs });
      const told = tell(node, why).catch((err) => {
        if (!this.#stopped) this.#log.warn({ err, node }, "no coordinator was told; the node's silence will tell it");
      });
      await pause(respawnMs);
      if (this.#stopped) return;
      const agent = new AgentProcess({ stateDir: this.#options.stateDir, node: next, slot });
      this.#agents.set(slot, agent);
      await Promise.all([this.#join(agent), told]);
      await directory.store.delete(`node.${node}`);
      emit(bus, "node-up", next, `node ${node} was started again as ${next}`);
    } catch (error) {
      if (this.#stopped) return;
      this.#log.error({ err: error, node }, "a dead node could not be replaced");
      emit(
        bus,
        "node-dead",
        node,
        `node ${node} ended ${how} and could not be started again: ${ActorsError.from(error).rawMessage}`,
      );
    }
  }

  async #natsDied(how: string): Promise<void> {
    if (this.#stopped) return;
    const started = performance.now();
    try {
      await this.#nats!.restart();
      this.#cluster = { ...this.#cluster!, natsPid: this.#nats!.pid };
      writeClusterFile(this.file, this.#cluster);
      const ms = Math.round(performance.now() - started);
      if (this.#runtime)
        emit(
          this.#runtime.bus,
          "nats-restarted",
          "nats",
          `nats-server ended ${how}; started again on the same port and store after ${ms} ms`,
        );
    } catch (error) {
      this.#log.error({ err: error }, "nats-server could not be started again");
    }
  }
}

/** A node is ready a moment before the directory's watch tells of it. */
async function untilKnown(directory: Directory, nodes: number, signal?: AbortSignal): Promise<void> {
  let stop = () => {};
  const known = new Promise<void>((resolve) => {
    const look = () => directory.nodes.size >= nodes && resolve();
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
