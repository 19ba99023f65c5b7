import { jobOf } from "../bundles/job.js";
import { locateInstalled } from "../bundles/names.js";
import type { Shipper } from "../bundles/ship.js";
import { Endpoint } from "../core/endpoint.js";
import { newEndpointId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import type { Runtime } from "../core/runtime.js";
import { Directory } from "../directory/directory.js";
import { NatsStore } from "../directory/nats-store.js";
import { StoredSnapshots } from "../directory/snapshots.js";
import { hostId } from "../objects/limits.js";
import { ObjectStore } from "../objects/store.js";
import { DirectTransport } from "../transport/direct.js";
import { connectNats, type NatsConnection, NatsTransport } from "../transport/nats.js";
import { NatsBus } from "../transport/nats-bus.js";
import { beat } from "./heartbeats.js";
import { clientTopic, heartbeatTopic } from "./protocol.js";
import { bucketOf, snapshotsOf } from "./roles.js";
import type { ClusterFile } from "./state.js";

export interface Connected extends Runtime {
  readonly directory: Directory;
  readonly bus: NatsBus;
  /** Ends heartbeats, endpoint and connection. */
  close(reason: string): Promise<void>;
}

/**
 * Makes this process an endpoint of the cluster.
 * @param who.bundle of a client: see `JoinOptions`
 * @param who.ledger path of the ledger of the node's objects, in a worker of its agent
 * @param who.heartbeat say from now on that it lives: clients must; a node's heart beats for it, the end of a worker is its agent's to see
 */
export async function connectRuntime(
  file: ClusterFile,
  who: {
    node: string;
    log: Logger;
    name: string;
    heartbeat: boolean;
    bundle?: boolean | undefined;
    ledger?: string | undefined;
  },
): Promise<Connected> {
  const nc = await connectNats(file, who.name);
  const id = file.endpoint ?? newEndpointId(file.role);
  const store = await NatsStore.open(nc, bucketOf(file.cluster));
  const directory = await Directory.open(store);
  const base = new NatsTransport(nc, file, id);
  const isDirect = process.env["ACTORS_DIRECT"] !== "0"; // 0 keeps every call on NATS
  const transport = isDirect ? await DirectTransport.open(base, file.dir, id) : base;
  const endpoint = new Endpoint(id, transport, directory);
  const bus = new NatsBus(nc, file.cluster);
  const topic = file.role === "control" ? heartbeatTopic : clientTopic;
  const stopBeating = who.heartbeat ? beat(bus, id, undefined, topic) : () => {};
  const objects = new ObjectStore({
    endpoint,
    host: hostId(),
    node: who.node,
    dir: file.dir,
    log: who.log,
    limits: file.objects,
    ledger: who.ledger,
    token: file.token,
    encrypts: file.ca !== undefined,
  });
  await nc.flush();
  return {
    endpoint,
    objects,
    resolver: directory,
    directory,
    snapshots: new StoredSnapshots(() => NatsStore.open(nc, snapshotsOf(file.cluster)), transport.maxBytes),
    bus,
    nc,
    openTransport: (other) => new NatsTransport(nc, file, other),
    cluster: {
      id: file.cluster,
      stateDir: file.stateDir,
      dir: file.dir,
      shmPrefix: file.shmPrefix,
      objects: file.objects,
    },
    node: who.node,
    log: who.log,
    locate:
      who.node === "" ? locatorOf(file, nc, bus, who.bundle) : (module) => Promise.resolve(locateInstalled(module)),
    async close(reason) {
      stopBeating();
      objects.close();
      directory.close();
      await endpoint.close(reason);
      await nc.close();
    },
  };
}

/** Of a client. What ships code is loaded once there is code to ship. */
function locatorOf(file: ClusterFile, nc: NatsConnection, bus: NatsBus, bundle: boolean | undefined) {
  let shipper: Promise<Shipper> | undefined;
  return async (module: string) => {
    const root = jobOf(module, file, bundle);
    if (root === undefined) return module;
    shipper ??= import("../bundles/ship.js").then(({ Shipper }) => new Shipper(nc, file.cluster, bus));
    return (await shipper).ship(module, root);
  };
}
