import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { ActorsError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { withDeadline } from "../core/wait.js";
import { ActorSystem } from "../system.js";
import { serversOf } from "../transport/nats.js";
import { forkAgents } from "./agent-process.js";
import { type Connected, connectRuntime } from "./connect.js";
import { Crew } from "./crew.js";
import { bring } from "./machine.js";
import { removeRemains } from "./remains.js";
import { type Cluster, type ClusterOptions, onlyHere } from "./start.js";
import { clusterFileIn, forClients, type NodeFile, writeClusterFile } from "./state.js";

const dialMs = 5_000;

export interface JoinedOptions
  extends Omit<ClusterOptions, "port" | "servers" | "listen" | "tls" | "spares" | "autoscale"> {
  /** nats://HOST:PORT of a cluster that listens there: of any of its servers. */
  url: string;
  credential: NodeFile;
}

/** What `up --listen` writes for other machines. @throws ActorsError INVALID_ARGUMENT that never quotes it */
export function parseCredential(text: string): NodeFile {
  try {
    const file = JSON.parse(text) as NodeFile;
    if (file.role === "control" && file.seed && file.signer && file.client && file.cluster) return file;
  } catch {}
  throw new ActorsError("INVALID_ARGUMENT", "this is no credential of a cluster", {
    hint: "`actors up --listen ADDRESS` writes it to .actors/join.json.",
  });
}

/** @param path "-" is standard input */
export function readCredential(path: string): NodeFile {
  let text: string;
  try {
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `cannot read the credential ${path}: ${(cause as Error).message}`, {
      cause,
    });
  }
  return parseCredential(text);
}

/**
 * Starts node agents here that belong to a cluster elsewhere, and keeps them alive.
 * @throws ActorsError UNAVAILABLE when it cannot be reached, or refuses the credential
 */
export async function joinCluster(options: JoinedOptions): Promise<Cluster> {
  return onlyHere(options.stateDir, () => start(options));
}

async function start(options: JoinedOptions): Promise<Cluster> {
  const { credential, nodes, stateDir, signal } = options;
  const url = urlOf(credential, options.url);
  const started = performance.now();
  process.env["ACTORS_HOST_ADDRESS"] ??= await addressTowards(options.url); // where others pull objects
  const file: NodeFile = { ...credential, ...bring(credential.cluster, options), url, natsPids: [] };
  const path = clusterFileIn(stateDir);
  const log = makeLogger("join");
  const place = newId("m").slice(0, 6); // nodes of other machines have the same slots
  const crew = new Crew(forkAgents(stateDir, nodes, place), log);
  let runtime: Connected | undefined;
  let stopped: Promise<void> | undefined;
  const shutdown = async (reason: string, known: boolean) => {
    await crew.stop(reason);
    if (known) await crew.leave(reason);
    await runtime?.close(reason).catch(() => {});
    removeRemains(file);
    rmSync(path, { force: true });
  };
  try {
    runtime = await connectRuntime(file, { node: "", log, name: `join ${process.pid}`, heartbeat: true });
    writeClusterFile(path, forClients(file));
    await crew.join(file, Promise.resolve(runtime), signal);
  } catch (error) {
    await shutdown("the start failed", false);
    throw error;
  }
  options.onStep?.(`${nodes} node agent${nodes === 1 ? "" : "s"} joined ${options.url}`, performance.now() - started);
  const system = new ActorSystem(runtime, runtime.endpoint.id);
  return {
    file: path,
    system,
    credential: file,
    onEvent: (heard) => system.onEvent(heard),
    stop(reason) {
      stopped ??= system
        .close()
        .catch(() => {})
        .then(() => shutdown(reason, true));
      return stopped;
    },
  };
}

/** Of several servers each has its place, so the credential's word counts; one may be reached in another way. */
function urlOf(credential: NodeFile, asked: string): string {
  const known = serversOf(credential.url);
  if (known.length === 1 || known.includes(asked)) return known.length === 1 ? asked : credential.url;
  throw new ActorsError("INVALID_ARGUMENT", `${asked} is none of the cluster's servers`, {
    hint: `Its credential names ${known.join(", ")}.`,
  });
}

/** The address of this machine by which it reaches that server. */
async function addressTowards(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
  const found = new Promise<string>((resolve, reject) => {
    socket.once("connect", () => resolve(socket.localAddress!));
    socket.once("error", (cause) =>
      reject(
        new ActorsError("UNAVAILABLE", `cannot reach ${url}: ${cause.message}`, {
          cause,
          hint: "Does the cluster run there, with `actors up --listen`?",
        }),
      ),
    );
  });
  return withDeadline(found, dialMs, `an answer from ${url}`).finally(() => socket.destroy());
}
