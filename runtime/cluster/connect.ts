import { Endpoint } from "../core/endpoint.js";
import { newEndpointId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import type { Runtime } from "../core/runtime.js";
import { Directory } from "../directory/directory.js";
import { NatsStore } from "../directory/nats-store.js";
import { NatsBus } from "../transport/bus.js";
import { connectNats, NatsTransport } from "../transport/nats.js";
import { heartbeatMs, heartbeatTopic } from "./protocol.js";
import type { ClusterFile } from "./state.js";

export const bucketOf = (cluster: string) => `dir-${cluster}`;

export interface Connected extends Runtime {
  readonly directory: Directory;
  /** Ends heartbeats, endpoint and connection. */
  close(reason: string): Promise<void>;
}

/** Makes this process an endpoint of the cluster; from now on its heartbeats say that it lives. */
export async function connectRuntime(
  file: ClusterFile,
  who: { node: string; log: Logger; name: string },
): Promise<Connected> {
  const nc = await connectNats(file, who.name);
  const id = newEndpointId();
  const store = await NatsStore.open(nc, bucketOf(file.cluster));
  const directory = await Directory.open(store);
  const endpoint = new Endpoint(id, new NatsTransport(nc, file.cluster, id), directory);
  const bus = new NatsBus(nc, file.cluster);
  const beat = new TextEncoder().encode(id);
  const timer = setInterval(() => bus.connected && bus.publish(heartbeatTopic, beat), heartbeatMs);
  timer.unref();
  bus.publish(heartbeatTopic, beat);
  await nc.flush();
  return {
    endpoint,
    resolver: directory,
    directory,
    bus,
    nc,
    openTransport: (other) => new NatsTransport(nc, file.cluster, other),
    cluster: { id: file.cluster, stateDir: file.stateDir, dir: file.dir, shmPrefix: file.shmPrefix },
    node: who.node,
    log: who.log,
    async close(reason) {
      clearInterval(timer);
      directory.close();
      await endpoint.close(reason);
      await nc.close();
    },
  };
}
