import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { withDeadline } from "../core/wait.js";
import { NatsStore } from "../directory/nats-store.js";
import { connectNats, type KV, makeKv, type NatsConnection } from "../transport/nats.js";
import { issue, newAuthority } from "./authority.js";
import { startNatsServer } from "./nats-server.js";

const authority = newAuthority();
const cluster = { authority };
const address = { cluster: "test", ...issue(authority.signer, "control", "test") };
const writers = 2;
const additions = 60;
const kills = 5;
const limitMs = 60_000;

const encode = (state: unknown) => new TextEncoder().encode(JSON.stringify(state));
const decode = (value: Uint8Array) => JSON.parse(new TextDecoder().decode(value)) as { sum: number; by: string };

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "nats-store-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A way to the server on which answers can be held back, and which can be cut. */
async function lossyWay(t: TestContext, port: number) {
  const pairs = new Set<[Socket, Socket]>();
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    pairs.add([client, server]);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  t.after(() => {
    proxy.close();
    cut();
  });
  const holdAnswers = () => {
    for (const [client, server] of pairs) server.unpipe(client);
  };
  return { port: (proxy.address() as { port: number }).port, holdAnswers, cut };
}

test("a write that happened but whose answer was lost succeeds, once", async (t) => {
  const server = await startNatsServer({ dir: folder(t), ...cluster });
  t.after(() => server.stop());
  const way = await lossyWay(t, server.port);
  const open = async (port: number) => {
    const nc = await connectNats({ ...address, url: `nats://127.0.0.1:${port}` }, "test");
    t.after(() => nc.close());
    return nc;
  };
  const near = await open(server.port);
  await makeKv(near, "dir-test");
  const witness = await NatsStore.open(near, "dir-test");
  const store = await NatsStore.open(await open(way.port), "dir-test");

  for (const write of [
    () => store.create("k", encode("created")),
    () => store.update("k", encode("updated"), 1),
    () => store.delete("k"),
  ]) {
    const before = (await witness.get("k"))?.revision ?? 0;
    const happened = new Promise<number>((resolve) => {
      void witness.watch(({ revision }) => revision > before && resolve(revision));
    });
    way.holdAnswers();
    const answer = write();
    const revision = await withDeadline(happened, limitMs, "the write's effect");
    way.cut();
    assert.equal((await answer) ?? revision, revision);
  }
  const mine = await store.create("k", encode("mine"));
  way.holdAnswers();
  const answer = store.update("k", encode("more of mine"), mine);
  const happened = new Promise<number>((resolve) => {
    void witness.watch((entry) => entry.revision > mine && resolve(entry.revision));
  });
  const revision = await withDeadline(happened, limitMs, "the write's effect");
  assert.ok((await witness.update("k", encode("another's, on top"), revision)) > revision);
  way.cut();
  assert.equal(await answer, revision);
  await store.delete("k");
  const lost = await store.create("k", encode("again"));
  assert.equal(await store.create("k", encode("other")), 0);
  assert.equal((await witness.get("k"))?.revision, lost);
});

test("while nats-server is killed again and again, each update happens once and each watch hears the last", async (t) => {
  const server = await startNatsServer({ dir: folder(t), ...cluster });
  t.after(() => server.stop());
  let deaths = 0;
  const restarts: Promise<void>[] = [];
  server.onExit(() => {
    deaths++;
    restarts.push(server.restart());
  });

  const open = async (name: string) => {
    const nc = await connectNats({ ...address, url: server.url }, name);
    t.after(() => nc.close());
    if (name === "w0") await makeKv(nc, "dir-test");
    return NatsStore.open(nc, "dir-test");
  };
  const stores = [];
  for (let w = 0; w <= writers; w++) stores.push(await open(`w${w}`));
  const last = { sum: writers * additions };
  const watched = stores.map(async (store) => {
    const heard: { sum: number; revision: number }[] = [];
    let finished = () => {};
    const done = new Promise<void>((resolve) => {
      finished = resolve;
    });
    const stop = await store.watch(({ value, revision }) => {
      heard.push({ sum: decode(value).sum, revision });
      if (heard.at(-1)!.sum === last.sum) finished();
    });
    return { heard, done, stop };
  });
  const watches = await Promise.all(watched);
  await stores[0]!.create("k", encode({ sum: 0, by: "" }));

  let added = 0;
  const add = async (store: NatsStore, by: string) => {
    for (let conflict = true; conflict; ) {
      const { value, revision } = (await store.get("k"))!;
      const written = store.update("k", encode({ sum: decode(value).sum + 1, by }), revision);
      if (added >= (deaths + 1) * (last.sum / (kills + 1)) && deaths === restarts.length) kill(server.pid);
      conflict = (await written) === 0;
    }
    added++;
  };
  const run = async (store: NatsStore, w: number) => {
    for (let i = 0; i < additions; i++) await add(store, `w${w}:${i}`);
  };
  await withDeadline(Promise.all(stores.slice(0, writers).map(run)), limitMs, "the updates");
  await Promise.all(restarts);

  assert.equal(deaths, kills);
  assert.equal(decode((await stores[writers]!.get("k"))!.value).sum, last.sum);
  for (const { heard, done, stop } of watches) {
    await withDeadline(done, limitMs, "the last update's arrival at a watch");
    const revisions = heard.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      [...new Set(revisions)].sort((a, b) => a - b),
    ); // none twice, none late
    stop();
  }
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // the other writer was first
  }
}

/** A connection whose watches skip an entry here and there, as servers have done. */
function skipping(nc: NatsConnection, skips: (revision: number) => boolean): NatsConnection {
  const lossy = (kv: KV) => {
    const watch = kv.watch.bind(kv);
    kv.watch = async (options) => {
      const all = await watch(options);
      const some = async function* () {
        for await (const e of all) if (!skips(e.revision)) yield e;
      };
      return { stop: () => all.stop(), [Symbol.asyncIterator]: some } as unknown as typeof all;
    };
    return kv;
  };
  return new Proxy(nc, {
    get(target, name) {
      if (name !== "jetstream") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      }
      return (options: object) => ({
        views: {
          kv: async (...of: [string, object]) => lossy(await target.jetstream(options).views.kv(...of)),
        },
      });
    },
  });
}

test("what a watch skips in the middle is told of all the same, in order, and nothing that was overwritten", async (t) => {
  const server = await startNatsServer({ dir: folder(t), ...cluster });
  t.after(() => server.stop());
  const nc = await connectNats({ ...address, url: server.url }, "test");
  t.after(() => nc.close());
  const kv = await makeKv(nc, "gaps");
  await kv.put("gone", encode(0));
  await kv.purge("gone");
  let fresh = Number.POSITIVE_INFINITY;
  const skips = (revision: number) => revision > fresh && revision % 3 !== 0;
  const store = await NatsStore.open(skipping(nc, skips), "gaps");
  const heard: { key: string; revision: number; deleted: boolean }[] = [];
  let finished = () => {};
  const done = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const stop = await store.watch(({ key, revision, deleted }) => {
    heard.push({ key, revision, deleted });
    if (key === "last") finished();
  });
  t.after(stop);
  heard.length = 0;
  fresh = 2;
  const written = [];
  for (let i = 0; i < 40; i++) {
    const key = `k${i % 30}`;
    const deleted = i % 7 === 6;
    const revision = deleted ? 0 : await kv.put(key, encode(i));
    if (deleted) await kv.delete(key);
    written.push({ key, revision: revision || (await kv.get(key))!.revision, deleted });
  }
  const newest = written.at(-1)!.revision;
  for (let revision = newest + 1; (await kv.put("last", encode(0))) % 3 !== 0; ) assert.ok(revision++ < newest + 4);
  await withDeadline(done, limitMs, "the last update's arrival at a watch");
  const last = new Map(written.map((each) => [each.key, each]));
  const told = heard.filter(({ key }) => key !== "last");
  assert.deepEqual(new Map(told.map((each) => [each.key, each])), last);
  const revisions = told.map(({ revision }) => revision);
  assert.deepEqual(
    revisions,
    [...new Set(revisions)].sort((a, b) => a - b),
  );
});

test("a watch tells of all that is there, and says so, while others write", async (t) => {
  const server = await startNatsServer({ dir: folder(t), ...cluster });
  t.after(() => server.stop());
  const nc = await connectNats({ ...address, url: server.url }, "test");
  t.after(() => nc.close());
  const kv = await makeKv(nc, "churn");
  const keys = Array.from({ length: 40 }, (_, i) => `key${i}`);
  for (const key of keys) await kv.put(key, encode({ sum: 0, by: "" }));
  let busy = true;
  const churn = keys.slice(0, 8).map(async (key) => {
    while (busy) await kv.put(key, encode({ sum: 0, by: key }));
  });
  for (let round = 0; round < 75; round++) {
    const opened = [0, 1, 2, 3].map(async (i) => {
      const store = await NatsStore.open(nc, "churn");
      const told = new Set<string>();
      const stop = await withDeadline(
        store.watch(({ key }) => told.add(key)),
        4_000, // less than the silence after which a watch is begun again
        `watch ${i} of round ${round}`,
      );
      stop();
      assert.equal(told.size, keys.length);
    });
    await Promise.all(opened);
  }
  busy = false;
  await Promise.all(churn);
});
