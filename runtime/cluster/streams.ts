import { pause } from "../core/wait.js";
import { makeKv, type NatsConnection, RetentionPolicy, StorageType } from "../transport/nats.js";
import { bucketOf, bundlesOf, queueOf, queueSubject, snapshotsOf } from "./roles.js";
import { replicasOf } from "./routes.js";

const makeMs = 5_000;
const agreedMs = 30_000; // several servers elect who speaks for them first
const askMs = 300; // whoever is asked before that never answers
const retryMs = 50;
/** A message id of the queue is remembered for this long; far longer than anyone tries to publish it again. */
const dedupeMs = 20 * 60_000;
const nanosPerMs = 1e6;

/** Everything durable that a cluster has; only control may make, change or delete it. */
export async function makeStreams(nc: NatsConnection, cluster: string, servers = 1): Promise<void> {
  for (const until = Date.now() + agreedMs; ; await pause(retryMs)) {
    try {
      if (servers > 1) await (await nc.jetstreamManager({ timeout: askMs, checkAPI: false })).getAccountInfo();
      return await makeAll(nc, cluster, replicasOf(servers));
    } catch (error) {
      if (servers === 1 || Date.now() > until) throw error; // else they may not have found each other yet
    }
  }
}

async function makeAll(nc: NatsConnection, cluster: string, num_replicas: number): Promise<void> {
  const js = nc.jetstream({ timeout: makeMs });
  const manager = await js.jetstreamManager(false);
  const storage = StorageType.File;
  await Promise.all([
    makeKv(nc, bucketOf(cluster), num_replicas),
    makeKv(nc, snapshotsOf(cluster), num_replicas),
    js.views.os(bundlesOf(cluster), { storage, replicas: num_replicas }),
    manager.streams.add({
      name: queueOf(cluster),
      subjects: [queueSubject(cluster, "*")],
      retention: RetentionPolicy.Workqueue,
      storage,
      num_replicas,
      duplicate_window: dedupeMs * nanosPerMs,
    }),
  ]);
}
