import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join as joinPath } from "node:path";
import { type TestContext, test } from "node:test";
import { AgentProcess } from "../cluster/agent-process.js";
import { hasEnded, TestCluster, until } from "../cluster/testing.js";
import { isActorsError } from "../core/errors.js";
import { join } from "../join.js";
import { connectNats } from "../transport/nats.js";
import { isHash } from "./names.js";
import { hashOf, pack } from "./pack.js";
import { BundleStore } from "./store.js";
import { makeJob, ownCache, runningScript, type TestJob, write } from "./testing.js";

const installs = (c: TestCluster) => c.events.filter(({ kind, text }) => kind === "bundle" && / installed /.test(text));

async function bundleOf(job: TestJob) {
  return pack(job.dir, joinPath(job.dir, "greeter.js"));
}

/** The store of that cluster, as a client reaches it. */
async function storeOf(t: TestContext, c: TestCluster): Promise<BundleStore> {
  const nc = await connectNats(c.file, "test");
  t.after(() => nc.close());
  return new BundleStore(nc, c.file.cluster);
}

test("two jobs whose dependencies conflict run side by side in one process, on the node's own runtime", async (t) => {
  ownCache(t);
  const c = await TestCluster.start(t, 1);
  await using system = await join({ cluster: c.cluster.file });
  const jobs = ["1.0.0", "2.0.0"].map((version) => makeJob(t, { version }));
  const defs = await Promise.all(jobs.map((job) => job.greeter()));
  const greetings = (said: { greeting: string }[]) => said.map(({ greeting }) => greeting);
  for (const hosting of ["inline", "thread", "process"] as const) {
    const actors = await Promise.all(defs.map((def) => system.spawn(def, { hosting })));
    const both = ["greeting 1.0.0", "greeting 2.0.0"];
    assert.deepEqual(greetings(await Promise.all(actors.map((actor) => actor.hello()))), both, hosting);
    assert.deepEqual(greetings(await Promise.all(actors.map((actor) => actor.childHello()))), both, hosting);
  }
  assert.equal(installs(c).length, 2);
});

test("what runs is the code as it was shipped, also after a restart; another program ships what it has", async (t) => {
  ownCache(t);
  const c = await TestCluster.start(t, 1);
  const job = makeJob(t, { version: "1.0.0", code: "first" });
  const def = await job.greeter();
  await using system = await join({ cluster: c.cluster.file });
  const one = await system.spawn(def, { hosting: "process", restart: { backoffMs: 1 } });
  assert.equal((await one.hello()).code, "first");
  write(job.dir, { "greeter.js": job.program("second") });
  one.crash.tell();
  await c.heard("actor-restarted");
  const { code, epoch } = await one.hello();
  assert.deepEqual([code, epoch], ["first", 2]);
  const two = await system.spawn(def);
  assert.equal((await two.hello()).code, "first");
  await using later = await join({ cluster: c.cluster.file });
  const three = await later.spawn(def);
  assert.equal((await three.hello()).code, "second");
  assert.equal(installs(c).length, 2);
});

test("each node with a cache of its own installs a bundle once", async (t) => {
  const caches = [ownCache(t)];
  const c = await TestCluster.start(t, 1);
  caches.push(ownCache(t));
  const second = new AgentProcess({ stateDir: c.dir, node: "n2", slot: 2 });
  t.after(() => second.stop("the test ended"));
  await second.join(c.cluster.credential);
  await using system = await join({ cluster: c.cluster.file });
  const def = await makeJob(t, { version: "1.0.0" }).greeter();
  const group = await system.spawnGroup(def, 6, { strategy: "spread" });
  const nodes = (await group.hello.all()).map(({ node }) => node).sort();
  assert.deepEqual(nodes, ["n1", "n1", "n1", "n2", "n2", "n2"]);
  assert.deepEqual(
    installs(c)
      .map(({ text }) => text.slice(0, 7))
      .sort(),
    ["node n1", "node n2"],
  );
  const [one, two] = caches.map((cache) => readdirSync(cache).filter(isHash));
  assert.deepEqual([one!.length, one], [1, two]);
});

test("a node killed in the middle of an install leaves no process, and the next one installs it whole", async (t) => {
  const cache = ownCache(t);
  const c = await TestCluster.start(t, 1);
  const gate = joinPath(c.dir, "gate");
  const job = makeJob(t, {
    version: "1.0.0",
    manifest: { scripts: { install: "node wait.cjs" }, actors: { installScripts: true } },
    files: {
      "wait.cjs": `const fs = require("fs");
        fs.writeFileSync("pid", String(process.pid));
        setInterval(() => fs.existsSync(${JSON.stringify(gate)}) && process.exit(0), 10);`,
    },
  });
  await using system = await join({ cluster: c.cluster.file });
  const spawning = system.spawn(await job.greeter(), { hosting: "process" });
  spawning.catch(() => {});
  const { hash } = await bundleOf(job);
  const first = await runningScript(cache, hash);
  const { pid } = c.node("n1");
  process.kill(pid, "SIGKILL");
  await until("the end of the install", () => hasEnded(first.pid));
  await runningScript(cache, hash, first.dir);
  write(c.dir, { gate: "" });
  const one = await spawning;
  assert.equal((await one.hello()).greeting, "greeting 1.0.0");
  await c.heard("bundle", /node n1-1 installed/);
  assert.equal(installs(c).length, 1);
  const left = readdirSync(cache).filter((name) => name !== hash);
  assert.deepEqual(left, [`${hash}.used-by-${c.node("n1-1").pid}`]);
});

test("a bundle that is damaged in the store is not installed; who spawns again ships it anew", async (t) => {
  const cache = ownCache(t);
  const c = await TestCluster.start(t, 1);
  const job = makeJob(t, { version: "1.0.0" });
  const other = await bundleOf(makeJob(t, { version: "2.0.0" }));
  const { hash } = await bundleOf(job);
  await (await storeOf(t, c)).put({ ...other, hash });
  assert.notEqual(hashOf(other.bytes), hash);
  await using system = await join({ cluster: c.cluster.file });
  const def = await job.greeter();
  await assert.rejects(
    system.spawn(def),
    (error) => isActorsError(error, "START_FAILED") && /cluster's store has another hash/.test(error.message),
  );
  assert.deepEqual(readdirSync(cache), []);
  const one = await system.spawn(def);
  assert.equal((await one.hello()).greeting, "greeting 1.0.0");
});

test("a program in the folder of the cluster, or that says so, has its code loaded from where it is", async (t) => {
  ownCache(t);
  const c = await TestCluster.start(t, 1);
  const def = await makeJob(t, { version: "1.0.0" }).greeter();
  await using system = await join({ cluster: c.cluster.file, bundle: false });
  await system.spawn(def);
  const near = await makeJob(t, { version: "2.0.0", within: c.dir }).greeter();
  await using usual = await join({ cluster: c.cluster.file });
  await usual.spawn(near);
  assert.equal(installs(c).length, 0);
  await using bundled = await join({ cluster: c.cluster.file, bundle: true });
  await bundled.spawn(near);
  assert.equal(installs(c).length, 1);
});
