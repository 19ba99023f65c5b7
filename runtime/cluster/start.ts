import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { claim, isAlive } from "../core/claim.js";
import { ActorsError } from "../core/errors.js";
import type { ObjectLimits } from "../objects/ledger.js";
import type { ActorSystem, SystemEvent } from "../system.js";
import { forkAgents } from "./agent-process.js";
import type { AutoscaleHook } from "./autoscale-hook.js";
import type { Offers } from "./offers.js";
import { removeRemains, removeStaleRemains } from "./remains.js";
import { type ClusterFile, clusterFileIn, makeStateDir, type NodeFile, readClusterFile, startingIn } from "./state.js";
import type { TlsFiles } from "./tls.js";

export interface ClusterOptions {
  nodes: number;
  /** What the nodes have beside what can be seen by looking. */
  offers?: Offers;
  /** What objects may take on this host, in bytes. Default: 30 % of its memory, half of the free disk. */
  objects?: Partial<ObjectLimits>;
  /** Called with the demand that the nodes cannot meet; such demand then waits, also where no node could ever meet it. */
  autoscale?: AutoscaleHook | undefined;
  /** Worker processes that each node with actors in processes keeps ready for the next. Default 1. */
  spares?: number;
  /** Folder of the cluster file, the logs and the JetStream store. */
  stateDir: string;
  /** nats-servers: 1, or 3 or 5, of which any one may be lost. Default 1. */
  servers?: number;
  /** Port of nats-server; the next ones for further servers. Default: a free one. */
  port?: number;
  /** Address of this machine at which other machines may join. Default: none can. */
  listen?: string;
  /** Encrypts all that goes between machines: with certificates of its own, or these. Default: no TLS. */
  tls?: true | TlsFiles | undefined;
  /** Told after each step of the start: what was done, and milliseconds it took. */
  onStep?(text: string, ms: number): void;
  /** Ends the start: it removes what it has begun and fails with CANCELLED. */
  signal?: AbortSignal;
}

export interface Cluster {
  /** Path of the cluster file that `join` reads. */
  readonly file: string;
  readonly system: ActorSystem;
  /** Of control, with all secrets. */
  readonly credential: NodeFile;
  onEvent(heard: (event: SystemEvent) => void): () => void;
  /** Stops actors, agents and nats-server, and removes what they left. Never rejects; waits at most about 20 s. */
  stop(reason: string): Promise<void>;
}

/**
 * Starts nats-server and node agents as children of this process, and keeps them alive: either is started again when it dies.
 * @throws ActorsError INVALID_ARGUMENT (nodes), UNAVAILABLE (already running here, port taken, no nats-server), CANCELLED
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { nodes, stateDir } = options;
  if (!Number.isInteger(nodes) || nodes < 1) {
    throw new ActorsError("INVALID_ARGUMENT", `a cluster needs at least one node, not ${nodes}`, {
      hint: "Use --nodes 1 or more.",
    });
  }
  return onlyHere(stateDir, () => start(options));
}

async function start(options: ClusterOptions): Promise<Cluster> {
  const { nodes, stateDir } = options;
  removeStaleRemains();
  forgetOldLogs(join(stateDir, "logs"));
  if (options.listen !== undefined) process.env["ACTORS_HOST_ADDRESS"] ??= options.listen; // where others pull objects
  // Most of a start is modules being loaded: the agents load theirs while this process loads the launcher.
  const agents = forkAgents(stateDir, nodes);
  let cluster: (Cluster & { start(): Promise<void> }) | undefined;
  try {
    const { Launcher } = await import("./launcher.js");
    cluster = new Launcher(options, agents);
    await cluster.start();
    return cluster;
  } catch (error) {
    await (cluster
      ? cluster.stop("the start failed")
      : Promise.all(agents.map((agent) => agent.stop("the start failed"))));
    throw error;
  }
}

/**
 * One cluster a folder: nobody else may start one there meanwhile, and what a killed one left behind is removed first.
 * @throws ActorsError UNAVAILABLE naming the process whose cluster runs or starts there
 */
export async function onlyHere<T>(stateDir: string, start: () => Promise<T>): Promise<T> {
  makeStateDir(stateDir);
  const claimed = claim(startingIn(stateDir));
  if (typeof claimed === "number") throw taken(claimed, "starts");
  try {
    removeKilled(clusterFileIn(stateDir));
    return await start();
  } finally {
    claimed();
  }
}

function removeKilled(path: string): void {
  let before: ClusterFile;
  try {
    before = readClusterFile(path);
  } catch {
    return;
  }
  if (isAlive(before.pid)) throw taken(before.pid, "already runs");
  removeRemains(before);
  rmSync(path, { force: true });
}

const taken = (pid: number, does: string) =>
  new ActorsError("UNAVAILABLE", `a cluster ${does} in this folder (process ${pid})`, {
    hint: "`actors down` stops it; `actors ps` shows it.",
  });

/** The logs of a folder are those of its last cluster. */
function forgetOldLogs(logs: string): void {
  try {
    for (const name of readdirSync(logs)) if (name !== "up.log") rmSync(join(logs, name), { force: true });
  } catch {
    // there are none
  }
}
