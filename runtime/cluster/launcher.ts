import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ActorsError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { ActorSystem, type SystemEvent } from "../system.js";
import { connectNats } from "../transport/nats.js";
import type { AgentProcess } from "./agent-process.js";
import { issue, newAuthority } from "./authority.js";
import { type Connected, connectRuntime } from "./connect.js";
import { Crew } from "./crew.js";
import { emit } from "./events.js";
import { bring } from "./machine.js";
import { NatsServers } from "./nats-servers.js";
import { removeRemains } from "./remains.js";
import type { Cluster, ClusterOptions } from "./start.js";
import { clusterFileIn, forClients, joinFileIn, type NodeFile, writeClusterFile } from "./state.js";
import { makeStreams } from "./streams.js";
import { readyTls } from "./tls.js";

const defaultSpares = 1;

/** Keeps nats-server and the node agents alive: see `startCluster`. */
export class Launcher implements Cluster {
  readonly file: string;
  readonly #options: ClusterOptions;
  readonly #crew: Crew;
  readonly #log = makeLogger("up");
  #cluster: NodeFile | undefined;
  #nats: NatsServers | undefined;
  #runtime: Connected | undefined;
  #system: ActorSystem | undefined;
  #stopped: Promise<void> | undefined;

  /** @param agents forked for slots 1, 2, …; they wait to be told that there is a cluster to join */
  constructor(options: ClusterOptions, agents: readonly AgentProcess[]) {
    this.#options = options;
    this.#crew = new Crew(agents, this.#log);
    this.file = clusterFileIn(options.stateDir);
  }

  get system(): ActorSystem {
    return this.#system!;
  }

  get credential(): NodeFile {
    return this.#cluster!;
  }

  async start(): Promise<void> {
    const { nodes, stateDir, signal } = this.#options;
    const id = newId("c");
    const token = randomBytes(24).toString("hex");
    const authority = newAuthority();
    const { signer } = authority;
    const base: Omit<NodeFile, "url" | "natsPids"> = {
      cluster: id,
      ...issue(signer, "control", id),
      signer,
      client: issue(signer, "client", id),
      token,
      ...bring(id, this.#options),
      ...(this.#options.listen !== undefined && { listen: this.#options.listen }),
      spares: this.#options.spares ?? defaultSpares,
      autoscale: this.#options.autoscale,
    };
    this.#cluster = { ...base, url: "", natsPids: [] };

    await this.#step(
      () => `nats-server on ${this.#nats!.url}`,
      async () => {
        const { port, listen, servers: count = 1, tls: wanted } = this.#options;
        const dir = join(stateDir, "nats");
        const onRestart = (text: string) => this.#natsRestarted(text);
        const tls = wanted && readyTls(wanted, join(dir, "tls"), listen ?? "127.0.0.1");
        if (tls) base.ca = readFileSync(tls.ca, "utf8");
        const where = { dir, listen, count, tls, ...(port !== undefined && { port }) };
        this.#nats = await NatsServers.start({ ...where, cluster: id, authority, log: this.#log, onRestart });
        this.#cluster = { ...base, url: this.#nats.url, natsPids: this.#nats.pids };
        if (signal?.aborted) throw new ActorsError("CANCELLED", "the start was cancelled", { cause: signal.reason });
        const nc = await connectNats(this.#cluster, "launcher");
        await makeStreams(nc, id, count);
        await nc.close();
        if (this.#options.listen !== undefined) writeClusterFile(joinFileIn(stateDir), this.#cluster);
        writeClusterFile(this.file, forClients(this.#cluster));
      },
    );
    await this.#step(
      () => `${nodes} node agent${nodes === 1 ? "" : "s"}`,
      async () => {
        const who = { node: "", log: this.#log, name: "up", heartbeat: true };
        const connecting = connectRuntime(this.#cluster!, who).then((runtime) => {
          this.#runtime = runtime;
          this.#system = new ActorSystem(runtime, runtime.endpoint.id);
          return runtime;
        });
        await this.#crew.join(this.#cluster!, connecting, signal);
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
    await this.#crew.stop(reason);
    await this.#runtime?.close(reason).catch(() => {});
    await this.#nats?.stop().catch(() => {});
    if (!this.#cluster) return;
    removeRemains(this.#cluster);
    for (const path of [this.file, joinFileIn(this.#cluster.stateDir)]) rmSync(path, { force: true });
  }

  async #step(text: () => string, work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await work();
    this.#options.onStep?.(text(), performance.now() - started);
  }

  #natsRestarted(text: string): void {
    if (this.#stopped) return;
    this.#cluster = { ...this.#cluster!, natsPids: this.#nats!.pids };
    writeClusterFile(this.file, forClients(this.#cluster));
    if (this.#runtime) emit(this.#runtime.bus, "nats-restarted", "nats", text);
  }
}
