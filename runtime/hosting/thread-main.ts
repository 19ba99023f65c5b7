// The program of a worker thread: hosts one actor on an endpoint whose batches the process relays.
import { type MessagePort, workerData } from "node:worker_threads";
import { expose } from "comlink";
import nodeEndpoint from "comlink/dist/esm/node-adapter.mjs";
import { actors } from "#protos";
import { locateInstalled } from "../bundles/names.js";
import { Endpoint } from "../core/endpoint.js";
import { ActorsError, fromFailure, toFailure } from "../core/errors.js";
import type { EndpointId } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import type { ClusterInfo, Runtime } from "../core/runtime.js";
import { ObjectStore } from "../objects/store.js";
import { MemoryBus } from "../transport/bus.js";
import { type Instance, instantiate } from "./instance.js";
import { PortLink } from "./port.js";
import { yieldToNode } from "./priority.js";

export interface ThreadData {
  endpoint: EndpointId;
  maxBytes: number;
  cluster: ClusterInfo;
  host: string;
  token: string | undefined;
  encrypts: boolean;
  ledger: string | undefined;
  frames: MessagePort;
  control: MessagePort;
}

/** Failures are values here, for comlink would drop their code and cause. */
export interface ThreadControl {
  /** Answered once the thread has loaded its modules. */
  ready(): void;
  /** @returns an encoded Failure, or undefined once the actor runs */
  start(record: Uint8Array, snapshots: ThreadSnapshots): Promise<Uint8Array | undefined>;
  stop(reason: string): Promise<void>;
}

/** The process's store, for the one actor of the thread. Asked only by an actor that keeps its state. */
export interface ThreadSnapshots {
  /** @returns an encoded Failure, or the state if there is one */
  load(): Promise<{ failed?: Uint8Array; state?: Uint8Array }>;
  save(state: Uint8Array): Promise<Uint8Array | undefined>;
}

yieldToNode();
const data = workerData as ThreadData;
const link = new PortLink(data.frames, data.maxBytes);
const endpoint = new Endpoint(data.endpoint, link, link);
let instance: Instance | undefined;

/** Speaks to the cluster through the process; hears nothing of it. */
class ThreadBus extends MemoryBus {
  override publish(topic: string, event: Uint8Array): void {
    link.publish(topic, event);
  }
}

const control: ThreadControl = {
  ready() {},
  async start(encoded, parent) {
    const record = actors.v1.ActorRecord.decode(encoded);
    const log = makeLogger(record.name || record.def, "info");
    const { cluster, host, ledger, token, encrypts } = data;
    const { node } = record;
    const runtime: Runtime = {
      endpoint,
      objects: new ObjectStore({
        endpoint,
        host,
        node,
        dir: cluster.dir,
        log,
        limits: cluster.objects,
        ledger,
        token,
        encrypts,
      }),
      resolver: link,
      directory: undefined,
      snapshots: {
        async load() {
          const { failed, state } = await parent.load();
          if (failed) throw fromFailure(actors.v1.Failure.decode(failed));
          return state;
        },
        async save(_id, _epoch, state) {
          const failed = await parent.save(state);
          if (failed) throw fromFailure(actors.v1.Failure.decode(failed));
        },
        remove: () => Promise.reject(new ActorsError("INTERNAL", "a thread removes no snapshots")),
      },
      bus: new ThreadBus(),
      nc: undefined,
      openTransport: () => link,
      cluster,
      node,
      log,
      locate: (module) => Promise.resolve(locateInstalled(module)),
    };
    try {
      instance = await instantiate(runtime, record);
      return undefined;
    } catch (error) {
      return actors.v1.Failure.encode(toFailure(error)).finish().slice();
    }
  },
  async stop(reason) {
    await instance?.stop(reason);
  },
};

expose(control, nodeEndpoint(data.control));
