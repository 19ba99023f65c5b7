import { Endpoint } from "../core/endpoint.js";
import { newEndpointId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import type { Runtime } from "../core/runtime.js";
import { Directory } from "../directory/directory.js";
import { NatsStore } from "../directory/nats-store.js";
import { StoredSnapshots } from "../directory/snapshots.js";
import { hostId } from "../objects/limits.js";
import { ObjectStore } from "../objects/store.js";
import { connectNats, makeKv, NatsTransport } from "../transport/nats.js";
import { NatsBus } from "../transport/nats-bus.js";
import { heartbeatMs, heartbeatTopic } from "./protocol.js";
import type { ClusterFile } from "./state.js";

export const bucketOf = (cluster: string) => `dir-${cluster}`;

export interface Connected extends Runtime {
  readonly directory: Directory;
  /** Ends heartbeats, endpoint and connection. */
  close(reason: string): Promise<void>;
}

/**
 * Makes this process an endpoint of the cluster.
 * @param who.ledger path of the ledger of the node's objects, in a worker of its agent
 * @param who.heartbeat say from now on that it lives: nodes and clients must; the end of a worker is its agent's to see
 */
export async function connectRuntime(
  file: ClusterFile,
  who: { node: string; log: Logger; name: string; heartbeat: boolean; ledger?: string | undefined },
): Promise<Connected> {
  const nc = await connectNats(file, who.name);
  const id = newEndpointId();
  const store = await NatsStore.open(nc, bucketOf(file.cluster));
  const directory = await Directory.open(store);
  const transport = new NatsTransport(nc, file.cluster, id);
  const endpoint = new Endpoint(id, transport, directory);
  const bus = new NatsBus(nc, file.cluster);
  const stopBeating = who.heartbeat ? beat(bus, id) : () => {};
  const objects = new ObjectStore({
    endpoint,
    host: hostId(),
    node: who.node,
    dir: file.dir,
    log: who.log,
    limits: file.objects,
    ledger: who.ledger,
    token: file.token,
  });
  await nc.flush();
  return {
    endpoint,
    objects,
    resolver: directory,
    directory,
    snapshots: new StoredSnapshots(async () => {
      const bucket = `state-${file.cluster}`;
      await makeKv(nc, bucket); // or finds it: only actors with snapshots need one
      return NatsStore.open(nc, bucket);
    }, transport.maxBytes),
    bus,
    nc,
    openTransport: (other) => new NatsTransport(nc, file.cluster, other),
    cluster: {
      id: file.cluster,
      stateDir: file.stateDir,
      dir: file.dir,
      shmPrefix: file.shmPrefix,
      objects: file.objects,
    },
    node: who.node,
    log: who.log,
    async close(reason) {
      stopBeating();
      objects.close();
      directory.close();
      await endpoint.close(reason);
      await nc.close();
    },
  };
}

function beat(bus: NatsBus, endpoint: string): () => void {
  const message = new TextEncoder().encode(endpoint);
  const timer = setInterval(() => bus.connected && bus.publish(heartbeatTopic, message), heartbeatMs);
  timer.unref();
  bus.publish(heartbeatTopic, message);
  return () => clearInterval(timer);
}
