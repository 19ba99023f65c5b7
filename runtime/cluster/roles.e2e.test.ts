import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join as joinPath } from "node:path";
import { after, before, describe, it } from "node:test";
import { connect } from "nats";
import type { Role } from "../core/ids.js";
import { makeLogger } from "../core/log.js";
import { join } from "../join.js";
import { AckPolicy, answersTo, connectNats, type NatsConnection } from "../transport/nats.js";
import { NatsBus } from "../transport/nats-bus.js";
import { connectRuntime } from "./connect.js";
import { emit } from "./events.js";
import { agentHandle, clientTopic, coordinatorHandle, heartbeatTopic } from "./protocol.js";
import { bucketOf, bundlesOf, queueOf, snapshotsOf } from "./roles.js";
import { type ClusterFile, forClients, forWorker } from "./state.js";
import { secretsOf, TestCluster, until } from "./testing.js";
import { ledger } from "./testing-actors.js";

const bytes = new TextEncoder().encode("forged");

describe("a role's own key", () => {
  const cleanup: (() => unknown)[] = [];
  let c: TestCluster;
  let id: string;
  const files: Partial<Record<Role, ClusterFile>> = {};
  const dialled: Partial<Record<Role, NatsConnection>> = {};
  const refused = new Map<NatsConnection, string[]>();

  before(async () => {
    c = await TestCluster.start({ after: (stop) => void cleanup.push(stop as () => unknown) }, 1);
    id = c.file.cluster;
    for (const role of ["worker", "client"] as const) {
      const file = role === "worker" ? forWorker(c.cluster.credential) : forClients(c.cluster.credential);
      const nc = await connectNats(file, role);
      files[role] = file;
      dialled[role] = nc;
      cleanup.unshift(() => nc.close());
      const said: string[] = [];
      refused.set(nc, said);
      void (async () => {
        for await (const { type, permissionContext } of nc.status())
          if (type === "error" && permissionContext) said.push(permissionContext.subject);
      })();
    }
  });

  after(async () => {
    for (const step of cleanup) await step();
  });

  for (const role of ["worker", "client"] as const) {
    const forbidden = () => [
      `$KV.${bucketOf(id)}.node.n1`,
      `$KV.${bucketOf(id)}.lease.coordinator`,
      `$KV.${bucketOf(id)}.actor.a1`,
      `${id}.${heartbeatTopic}`,
      ...["KV_dir", "KV_state", "OBJ_bundles", "queue"].flatMap((kind) =>
        ["DELETE", "UPDATE", "CREATE", "SNAPSHOT", "MSG.DELETE"].map((call) => `$JS.API.STREAM.${call}.${kind}-${id}`),
      ),
      `$JS.API.STREAM.PURGE.KV_${bucketOf(id)}`,
      `$JS.API.STREAM.PURGE.KV_${snapshotsOf(id)}`,
      "$JS.API.STREAM.CREATE.spy",
      `$JS.API.CONSUMER.DURABLE.CREATE.KV_${bucketOf(id)}.mine`,
      "$SYS.REQ.SERVER.PING",
      "_I.control.answer",
      "elsewhere.i.w.w1.c.c1",
      `${id}.i.k.k1.k.k1`,
      `${id}.i.w.w1.w.w1`,
      `${id}.i.w.w1.${role === "worker" ? "c.c1" : `w.${files.worker!.endpoint}`}`,
      ...(role === "worker"
        ? [
            "$JS.API.STREAM.NAMES",
            `$O.${bundlesOf(id)}.M.x`,
            `$JS.API.STREAM.PURGE.OBJ_${bundlesOf(id)}`,
            `$JS.API.STREAM.PURGE.${queueOf(id)}`,
            `$JS.API.CONSUMER.CREATE.${queueOf(id)}.spy`,
          ]
        : [`$KV.${snapshotsOf(id)}.state.a1`]),
    ];

    it(`lets a ${role} publish nothing it has no business with`, async () => {
      const nc = dialled[role]!;
      const said = refused.get(nc)!;
      for (const subject of forbidden()) {
        nc.publish(subject, bytes);
        await until(`the refusal of ${subject}`, () => said.includes(subject));
      }
      assert.ok(c.system.ps().nodes.every((node) => node.state === "up"));
    });

    it(`lets a ${role} hear nothing it has no business with`, async () => {
      const nc = dialled[role]!;
      const said = refused.get(nc)!;
      for (const subject of [
        ...[">", "$SYS.>", "_I.>", "_I.control.>", "$JS.>", "$KV.>", `${id}.>`, `${id}.i.>`, `${id}.i.w.>`],
        ...[`${id}.i.k.*.*.*`, `${id}.i.w.w1.*.*`, `${answersTo(files[role === "worker" ? "client" : "worker"]!)}.>`],
      ]) {
        nc.subscribe(subject, { callback: () => {} });
        await until(`the refusal of ${subject}`, () => said.includes(subject));
      }
    });
  }

  for (const role of ["worker", "client"] as const) {
    it(`is what control's actors go by: they do not take from a ${role} what is not its to say`, async () => {
      const log = makeLogger("test");
      const runtime = await connectRuntime(files[role]!, { node: "", log, name: role, heartbeat: false });
      const { calls } = runtime.endpoint;
      const coordinator = coordinatorHandle(calls);
      const agent = agentHandle(calls, "n1");
      const actor = await c.system.spawn(ledger, { hosting: "process", passivateAfterMs: 60_000 });
      const asked = [
        coordinator.nodeGone("n1", "forged"),
        coordinator.exited(actor.id, 1, bytes),
        coordinator.rest(actor.id, 1),
        agent.start(bytes),
        agent.stop(actor.id, 1, "forged"),
        agent.hosted(),
        ...(role === "worker" ? [agent.bundles(), agent.removeBundle("x")] : []),
      ];
      for (const each of asked) await assert.rejects(each, /PERMISSION_DENIED.* may not call/);
      if (role === "client") assert.deepEqual(await agent.bundles(), []);
      assert.equal(c.system.ps().nodes[0]!.state, "up");
      await coordinator.stop(actor.id, "anyone's to say");
      await runtime.close("done");
    });
  }

  it("is needed: who says nothing, or knows another cluster's, is turned away", async () => {
    await assert.rejects(connect({ servers: c.file.url, reconnect: false }), /Authorization/i);
    for (const user of ["sys", "SYS", "admin"])
      await assert.rejects(connect({ servers: c.file.url, user, pass: "", reconnect: false }), /Authorization/i);
  });

  it("of control lies in no file, and no secret in the environment or on the command line of a process", async () => {
    const actor = await c.system.spawn(ledger, { hosting: "process" });
    const secrets = secretsOf(c.cluster.credential);
    const files = (dir: string): string[] =>
      readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? files(joinPath(dir, entry.name)) : entry.isFile() ? [joinPath(dir, entry.name)] : [],
      );
    const all = [...files(c.dir), ...files(c.file.dir)];
    const having = (secret: string) => all.filter((path) => readFileSync(path).includes(secret));
    assert.deepEqual([...having(secrets.signer), ...having(secrets.seed)], []);
    for (const secret of [secrets.client, secrets.token]) assert.deepEqual(having(secret), [c.cluster.file]);
    assert.equal(statSync(c.cluster.file).mode & 0o777, 0o600);
    for (const pid of c.pids())
      for (const what of ["cmdline", "environ"])
        for (const secret of Object.values(secrets))
          assert.ok(!readFileSync(`/proc/${pid}/${what}`, "utf8").includes(secret), `${what} of ${pid}`);
    await c.system.stop(actor);
  });

  it("lets a client spawn, call, listen and keep objects and state, with its actors in worker processes", async () => {
    await using system = await join({ cluster: c.cluster.file });
    const events: string[] = [];
    system.onEvent(({ kind }) => events.push(kind));
    const actor = await system.spawn(ledger, { hosting: "process", name: "legit" });
    assert.ok((await actor.where()).pid !== process.pid);
    const ref = await system.put(new Uint8Array(1 << 20).fill(7));
    assert.equal((await system.get(ref))[5], 7);
    assert.deepEqual(await (await system.bundles()).list(), []);
    await system.stop(actor);
    await until("the event of its end", () => events.includes("actor-stopped"));
  });

  it("lets a worker publish what is its own", async () => {
    const nc = dialled.worker!;
    const said = refused.get(nc)!;
    const before = said.length;
    await nc.jetstream().publish(`${id}.queue.mine`, "one", { msgID: "one" });
    nc.publish(`${id}.${clientTopic}`, new Uint8Array());
    emit(new NatsBus(nc, id), "tell-failed", "x", "a worker's word");
    await c.heard("tell-failed", /a worker's word/);
    assert.equal(said.length, before);
  });

  it("cannot have the server say what it may not say itself", async () => {
    const control = await connectNats(c.cluster.credential, "control");
    cleanup.unshift(() => control.close());
    const topic = `${id}.${heartbeatTopic}`;
    let arrived = false;
    const taken: string[] = [];
    const isForged = (data: Uint8Array) => new TextDecoder().decode(data) === "forged";
    new NatsBus(control, id).subscribe(heartbeatTopic, (data) => isForged(data) && taken.push("by consumer"));
    control.subscribe(topic, { callback: (_, { data }) => (arrived ||= isForged(data)) });
    await control.flush();
    const js = dialled.client!.jetstream();
    await js.publish(`${id}.queue.forged`, bytes);
    const manager = await js.jetstreamManager(false);
    await manager.consumers.add(queueOf(id), {
      durable_name: "forged",
      filter_subject: `${id}.queue.forged`,
      deliver_subject: topic,
      ack_policy: AckPolicy.Explicit,
    });
    await until("the server's delivery", () => arrived);
    assert.deepEqual(taken, []);
  });
});
