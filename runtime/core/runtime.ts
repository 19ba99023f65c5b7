import type { Directory, Resolver } from "../directory/directory.js";
import type { Snapshots } from "../directory/snapshots.js";
import type { ObjectLimits } from "../objects/ledger.js";
import type { ObjectStore } from "../objects/store.js";
import type { Bus } from "../transport/bus.js";
import type { NatsConnection } from "../transport/nats.js";
import type { Transport } from "../transport/transport.js";
import type { Endpoint } from "./endpoint.js";
import type { EndpointId } from "./ids.js";
import type { Logger } from "./log.js";

/** Facts about the cluster that an actor may need. */
export interface ClusterInfo {
  /** Also the prefix of its NATS subjects and of `shmPrefix`. */
  readonly id: string;
  /** `.actors` folder of the one who started it; empty for an in-process system. */
  readonly stateDir: string;
  /** Scratch folder shared by the processes of one host, removed at shutdown. */
  readonly dir: string;
  /** Prefix of shared-memory files on one host. Whatever lies under it is removed at shutdown. */
  readonly shmPrefix: string;
  /** What the objects of one node may take. */
  readonly objects: ObjectLimits;
}

/** What one process (or thread) has to take part: its endpoint and its view of the cluster. */
export interface Runtime {
  readonly endpoint: Endpoint;
  readonly resolver: Resolver;
  /** Absent in worker threads, which ask their process instead. */
  readonly directory: Directory | undefined;
  readonly snapshots: Snapshots;
  readonly objects: ObjectStore;
  readonly bus: Bus;
  /** Absent in an in-process system and in worker threads. */
  readonly nc: NatsConnection | undefined;
  /** A link under another endpoint's id, for a worker thread whose batches this process relays. */
  openTransport(id: EndpointId): Transport;
  readonly cluster: ClusterInfo;
  /** Node id, or empty for a client. */
  readonly node: string;
  readonly log: Logger;
  /**
   * The name by which any node finds a module that is loaded here: its URL, or one in a job bundle, which a client ships.
   * @throws ActorsError INVALID_ARGUMENT (cannot be shipped), DEADLINE_EXCEEDED
   */
  locate(module: string): Promise<string>;
}
