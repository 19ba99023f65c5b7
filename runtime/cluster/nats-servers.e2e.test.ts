import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pause, withDeadline } from "../core/wait.js";
import { connectNats, type NatsConnection } from "../transport/nats.js";
import { leaseMs } from "./protocol.js";
import { bucketOf, queueOf, queueSubject, snapshotsOf } from "./roles.js";
import { hasEnded, remains, TestCluster, until } from "./testing.js";
import { ledger, probe } from "./testing-actors.js";

const callMs = 10_000;
const servers = 3;

process.env["ACTORS_DIRECT"] = "0"; // every call over NATS

/** Whether each server has all that any of them has: now one may be lost. */
async function areWhole(nc: NatsConnection, cluster: string): Promise<boolean> {
  const manager = await nc.jetstreamManager({ timeout: 1_000, checkAPI: false });
  const streams = [`KV_${bucketOf(cluster)}`, `KV_${snapshotsOf(cluster)}`, queueOf(cluster)];
  const infos = await Promise.all(streams.map((name) => manager.streams.info(name))).catch(() => []);
  return (
    infos.length > 0 &&
    infos.every(
      ({ cluster: at }) =>
        at?.leader && at.replicas?.length === servers - 1 && at.replicas.every((r) => r.current && !r.offline),
    )
  );
}

test("any of three servers may be lost, and one with a node: nothing that was acknowledged is lost or done twice", async (t) => {
  const c = await TestCluster.start(t, 3, {}, { servers, spares: 0 });
  const { system, file } = c;
  const id = file.cluster;
  const nc = await connectNats(c.cluster.credential, "test");
  t.after(() => nc.close());

  const [adder, keeper] = await Promise.all([
    system.spawn(probe, { hosting: "process" }),
    system.spawn(ledger, { hosting: "process" }),
  ]);

  let busy = true;
  const done = { calls: 0, saves: 0, spawned: [] as Awaited<ReturnType<typeof spawnOne>>[], published: 0 };
  const spawnOne = () => system.spawn(probe, { hosting: "inline" });
  const publish = async (n: number): Promise<void> => {
    for (;;) {
      try {
        const ack = await nc
          .jetstream({ timeout: 1_000 })
          .publish(queueSubject(id, "work"), `${n}`, { msgID: `m${n}` });
        return void ack;
      } catch {
        await pause(50); // nobody leads the stream just now
      }
    }
  };
  const whileBusy = async (step: () => Promise<void>) => {
    while (busy) await step();
  };
  const work = Promise.all([
    whileBusy(async () => {
      assert.equal(await adder.add.with({ timeoutMs: callMs })(1), ++done.calls);
    }),
    whileBusy(async () => {
      assert.equal(await keeper.addAndSave.with({ timeoutMs: 2 * callMs })(1), ++done.saves);
    }),
    whileBusy(async () => {
      done.spawned.push(await spawnOne());
      await pause(50);
    }),
    whileBusy(async () => {
      await publish(done.published);
      done.published++;
    }),
  ]);
  work.catch(() => {}); // also awaited below

  for (let i = 0; i < servers; i++) {
    await until("all servers have everything", () => areWhole(nc, id));
    const before = { ...done, spawned: done.spawned.length };
    const pid = c.file.natsPids[i]!;
    process.kill(pid, "SIGKILL");
    await until("the server runs again", () => c.file.natsPids[i] !== pid);
    await until("everything goes on", () => {
      const { calls, saves, published, spawned } = done;
      return (
        calls > before.calls && saves > before.saves && published > before.published && spawned.length > before.spawned
      );
    });
  }
  const frozen = c.file.natsPids[0]!;
  process.kill(frozen, "SIGSTOP");
  await pause(leaseMs * 1.5);
  process.kill(frozen, "SIGCONT");
  busy = false;
  await withDeadline(work, 3 * callMs, "the work");

  const kinds = new Set(c.events.map(({ kind }) => kind));
  for (const kind of ["node-dead", "actor-died", "actor-restarted"]) assert.ok(!kinds.has(kind), kind);
  for (const actor of [adder, ...done.spawned]) assert.equal((await actor.where()).epoch, 1);
  const found = new Set<string>();
  await until("all servers have everything", () => areWhole(nc, id)); // the one that was frozen catches up
  const manager = await nc.jetstreamManager({ timeout: 1_000, checkAPI: false });
  const reader = { durable_name: "all", ack_policy: "explicit" as never };
  await until("a reader of the queue", () =>
    manager.consumers.add(queueOf(id), reader).then(
      () => true,
      () => false, // nobody leads the stream just now
    ),
  );
  const consumer = await nc.jetstream().consumers.get(queueOf(id), "all");
  for (let came = -1; came !== found.size; ) {
    came = found.size; // until a round brings nothing more: how many there are depends on the machine
    for await (const message of await consumer.fetch({ max_messages: 5_000, expires: 1_500 })) {
      const text = Buffer.from(message.data).toString();
      assert.ok(!found.has(text), `message ${text} is there twice`);
      found.add(text);
      message.ack();
    }
  }
  assert.equal(found.size, done.published);

  await until("all servers have everything", () => areWhole(nc, id));
  const { node } = await keeper.where();
  process.kill(c.node(node).pid, "SIGKILL");
  process.kill(c.file.natsPids[2]!, "SIGKILL");
  // An event may be lost with the server that had it.
  await until("the actor runs elsewhere", async () => {
    const { epoch, sum } = await keeper.where.with({ timeoutMs: 3 * callMs })();
    return epoch > 1 && sum === done.saves;
  });

  const pids = c.pids();
  await c.cluster.stop("the test looks at what is left");
  await until("all processes have ended", () => pids.every(hasEnded));
  assert.deepEqual(remains(), []);
  assert.ok(!existsSync(join(c.dir, "nats")));
});
