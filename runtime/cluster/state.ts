import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { getSystemErrorMap } from "node:util";
import { ActorsError } from "../core/errors.js";
import type { ObjectLimits } from "../objects/ledger.js";
import type { Identity, NatsAddress } from "../transport/nats.js";
import { issue } from "./authority.js";
import type { AutoscaleHook } from "./autoscale-hook.js";
import type { Offers } from "./offers.js";

/** `.actors/cluster.json`: how to reach the cluster of a folder, in the role of a client. Mode 0600, for it holds secrets. */
export interface ClusterFile extends NatsAddress {
  /** Secret: who knows it may pull objects from other hosts. */
  token: string;
  /** Process that supervises nats-server and the agents. */
  pid: number;
  /** Of the nats-servers that run here; none on a machine that joined. */
  natsPids: number[];
  nodes: number;
  /** Address at which other machines reach nats-server; absent when none can. */
  listen?: string;
  offers: Offers;
  startedAt: number;
  stateDir: string;
  dir: string;
  shmPrefix: string;
  /** Worker processes that a node keeps ready. */
  spares: number;
  /** Of each node. */
  objects: ObjectLimits;
  /** Told of demand that the nodes cannot meet. */
  autoscale?: AutoscaleHook | undefined;
}

/** What a node agent is given: control's own, and what it hands on. */
export interface NodeFile extends ClusterFile {
  /** Signs the identities of its workers. */
  signer: string;
  /** What all clients of the cluster are. */
  client: Identity;
}

/** The same cluster, as a client reaches it. */
export const forClients = ({ signer: _, client, ...file }: NodeFile): ClusterFile => ({ ...file, ...client });

/** The same cluster, as a new worker reaches it. */
export const forWorker = ({ signer, client: _, ...file }: NodeFile): ClusterFile => ({
  ...file,
  ...issue(signer, "worker", file.cluster),
});

export const stateDirName = ".actors";
/** Held by the process that starts a cluster in this folder. */
export const startingIn = (stateDir: string) => join(stateDir, "starting.pid");
export const clusterFileIn = (stateDir: string) => join(stateDir, "cluster.json");

/** @throws ActorsError UNAVAILABLE when it cannot be made, or not be written to */
export function makeStateDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ActorsError("UNAVAILABLE", `cannot write to the folder ${dir}: ${errnoText(cause)}`, {
      cause,
      hint: "Run `actors` in a folder you may write to.",
    });
  }
}

/** `permission denied` instead of `EACCES: permission denied, mkdir '/x'` */
export function errnoText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return (errno !== undefined && getSystemErrorMap().get(errno)?.[1]) || message;
}

/** Of a cluster that listens: what other machines need to join it. A secret. */
export const joinFileIn = (stateDir: string) => join(stateDir, "join.json");

export function writeClusterFile(path: string, file: ClusterFile): void {
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, path);
}

/** @throws ActorsError UNAVAILABLE when there is none, INVALID_ARGUMENT when it cannot be read */
export function readClusterFile(path: string): ClusterFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new ActorsError("UNAVAILABLE", `no cluster runs here: ${path} is not there`, {
      cause,
      hint: "`actors up` starts one.",
    });
  }
  try {
    return JSON.parse(text) as ClusterFile;
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `${path} is damaged: ${(cause as Error).message}`, {
      cause,
      hint: "Remove it and start again with `actors up`.",
    });
  }
}

/** The cluster file of this folder or the nearest one above it, or of $ACTORS_CLUSTER. */
export function findClusterFile(from = process.cwd()): string | undefined {
  const named = process.env["ACTORS_CLUSTER"];
  if (named) return resolve(named);
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const path = clusterFileIn(join(dir, stateDirName));
    if (existsSync(path)) return path;
    if (dir === dirname(dir)) return undefined;
  }
}
