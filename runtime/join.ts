import { localSystem } from "./cluster/local.js";
import { findClusterFile, readClusterFile } from "./cluster/state.js";
import { isAlive } from "./core/claim.js";
import { ActorsError } from "./core/errors.js";
import { makeLogger } from "./core/log.js";
import { ActorSystem } from "./system.js";

export interface JoinOptions {
  /** Path of a `cluster.json`. Default: $ACTORS_CLUSTER, or `.actors/cluster.json` here or in a folder above. */
  cluster?: string;
  /** true: fail when no cluster runs, instead of making an in-process system. */
  required?: boolean;
  /**
   * Whether the packages whose actors this program spawns are shipped to the nodes as job bundles. Default: those outside
   * of the folder in which the cluster was started. false: nodes load modules from where they are here.
   */
  bundle?: boolean;
}

/**
 * Joins the cluster that `actors up` started for this folder. Where none runs, makes a system inside this process
 * with the same semantics, so that a program works before there is a cluster.
 * @throws ActorsError UNAVAILABLE when a cluster is named or required but cannot be reached
 */
export async function join(options: JoinOptions = {}): Promise<ActorSystem> {
  const path = options.cluster ?? findClusterFile();
  const file = path === undefined ? undefined : readClusterFile(path);
  if (file && isAlive(file.pid)) {
    const { connectRuntime } = await import("./cluster/connect.js"); // half of what this package loads; only needed here
    const runtime = await connectRuntime(file, {
      node: "",
      log: makeLogger("client"),
      name: `client ${process.pid}`,
      heartbeat: true,
      bundle: options.bundle,
    });
    return new ActorSystem(runtime, runtime.endpoint.id, { close: () => runtime.close("the system was closed") });
  }
  if (!options.required && !options.cluster && !process.env["ACTORS_CLUSTER"]) return localSystem();
  throw new ActorsError(
    "UNAVAILABLE",
    file ? `the cluster of ${path} is gone: process ${file.pid} no longer runs` : "no cluster runs here",
    {
      hint: "`actors up` starts one.",
    },
  );
}
