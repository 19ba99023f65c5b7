import { makeKv, type NatsConnection, RetentionPolicy, StorageType } from "../transport/nats.js";
import { bucketOf, bundlesOf, queueOf, queueSubject, snapshotsOf } from "./roles.js";

const makeMs = 5_000;
/** A message id of the queue is remembered for this long; far longer than anyone tries to publish it again. */
const dedupeMs = 20 * 60_000;
const nanosPerMs = 1e6;

/** Everything durable that a cluster has; only control may make, change or delete it. */
export async function makeStreams(nc: NatsConnection, cluster: string): Promise<void> {
  const js = nc.jetstream({ timeout: makeMs });
  const manager = await js.jetstreamManager(false);
  const storage = StorageType.File;
  await Promise.all([
    makeKv(nc, bucketOf(cluster)),
    makeKv(nc, snapshotsOf(cluster)),
    js.views.os(bundlesOf(cluster), { storage }),
    manager.streams.add({
      name: queueOf(cluster),
      subjects: [queueSubject(cluster, "*")],
      retention: RetentionPolicy.Workqueue,
      storage,
      duplicate_window: dedupeMs * nanosPerMs,
    }),
  ]);
}
