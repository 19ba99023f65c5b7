import { tmpdir } from "node:os";
import { Endpoint } from "../core/endpoint.js";
import { type EndpointId, newEndpointId, newId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import type { Runtime } from "../core/runtime.js";
import { Directory } from "../directory/directory.js";
import { StoredSnapshots } from "../directory/snapshots.js";
import { MemoryStore } from "../directory/store.js";
import { defaultLimits, hostId, shareOf } from "../objects/limits.js";
import { ObjectStore } from "../objects/store.js";
import { ActorSystem } from "../system.js";
import { MemoryBus } from "../transport/bus.js";
import { MemoryNetwork } from "../transport/memory.js";
import { Agent, hostAgent } from "./agent.js";
import type { AutoscaleHook } from "./autoscale-hook.js";
import { stand } from "./leadership.js";
import { registerNode } from "./membership.js";
import type { Offers } from "./offers.js";
import { removeByPrefix, sharedMemoryPrefix } from "./remains.js";

/**
 * A whole system inside this process: the same coordinator, agents and calls on the in-memory twins.
 * Actors defined for a process live inline here, for there is no second process.
 */
export async function localSystem(
  options: { nodes?: number; offers?: Offers; autoscale?: AutoscaleHook; network?: MemoryNetwork } = {},
): Promise<ActorSystem> {
  const share = options.nodes ?? 1;
  const network = options.network ?? new MemoryNetwork();
  const store = new MemoryStore();
  const states = new MemoryStore();
  const snapshots = new StoredSnapshots(() => Promise.resolve(states));
  const bus = new MemoryBus();
  const id = newId("local");
  const cluster = {
    id,
    stateDir: "",
    dir: "",
    shmPrefix: sharedMemoryPrefix(id),
    objects: shareOf(defaultLimits(tmpdir()), share),
  };
  const log = makeLogger("actors");
  const closers: (() => Promise<void>)[] = [];

  const open = async (node: string): Promise<Runtime & { directory: Directory }> => {
    const endpointId: EndpointId = newEndpointId("control");
    const directory = await Directory.open(store);
    const endpoint = new Endpoint(endpointId, network.open(endpointId), directory);
    const objects = new ObjectStore({ endpoint, host: hostId(), node, dir: "", log, limits: cluster.objects });
    closers.push(async () => {
      objects.close();
      directory.close();
      await endpoint.close("the system was closed");
    });
    return {
      endpoint,
      objects,
      resolver: directory,
      directory,
      snapshots,
      bus,
      nc: undefined,
      openTransport: (other) => network.open(other),
      cluster,
      node,
      log,
      locate: (module) => Promise.resolve(module),
    };
  };

  for (let slot = share; slot >= 1; slot--) {
    const runtime = await open(`n${slot}`);
    const agent = new Agent(runtime, {
      inline: (record) => agent.startHere(record),
      thread: async (record, onExit) => (await import("../hosting/thread.js")).startThread(runtime, record, onExit),
      process: (record) => agent.startHere(record),
    });
    hostAgent(runtime, agent);
    await registerNode(runtime, { slot, share, offers: options.offers });
    const election = stand(runtime, undefined, options.autoscale);
    closers.unshift(async () => {
      await agent.stopAll("the system was closed");
      await election.stop();
    });
  }
  const client = await open("");
  const close = async () => {
    for (const step of closers) await step();
    removeByPrefix(cluster.shmPrefix);
  };
  return new ActorSystem(client, client.endpoint.id, { close });
}
