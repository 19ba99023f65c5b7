import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hasEnded, until } from "../cluster/testing.js";
import { isActorsError } from "../core/errors.js";
import { listInstalled, removeInstalled } from "./cache.js";
import { folderUrl, nameIn, runtimeRoot } from "./names.js";
import { NodeBundles } from "./node.js";
import { type Packed, pack } from "./pack.js";
import { makeJob, ownCache, runningScript, type TestJob, write } from "./testing.js";

/** A store of one bundle, and nodes that share this process and its cache. */
async function nodesFor(job: TestJob) {
  const packed = await pack(job.dir, join(job.dir, "greeter.js"));
  const name = nameIn(packed.hash, folderUrl(job.dir), `${folderUrl(job.dir)}greeter.js`);
  const installs: string[] = [];
  const store = { get: (hash: string) => Promise.resolve(hash === packed.hash ? packed.bytes : new Uint8Array()) };
  const node = () => new NodeBundles(store, (hash) => installs.push(hash));
  return { packed, name, installs, node };
}

const installedNames = (cache: string, { hash }: Packed) => readdirSync(cache).filter((name) => name !== hash);

test("however many nodes and actors start at once, it is installed once, and kept while one of them runs", async (t) => {
  const cache = ownCache(t);
  const { packed, name, installs, node } = await nodesFor(makeJob(t, { version: "1.0.0" }));
  const nodes = [node(), node(), node()];
  const uses = await Promise.all(nodes.flatMap((each) => [each.use(name), each.use(name)]));
  assert.deepEqual(installs, [packed.hash]);
  const url = `${folderUrl(join(cache, packed.hash))}greeter.js`;
  for (const use of uses) assert.equal(use?.url, url);
  const { greeter } = (await import(url)) as { greeter: { module: string } };
  assert.equal(greeter.module, url);
  assert.equal(readlinkSync(join(cache, packed.hash, "node_modules/actors")), runtimeRoot);
  const kept = JSON.parse(readFileSync(join(cache, packed.hash, "package.json"), "utf8")) as { dependencies: object };
  assert.ok("actors" in kept.dependencies, "the job's own files are as they were");

  const [found] = listInstalled();
  assert.deepEqual([found?.job, found?.users], ["job-1.0.0", [process.pid]]);
  await assert.rejects(removeInstalled(packed.hash), (error) => isActorsError(error, "UNAVAILABLE"));
  for (const use of uses) use!.release();
  assert.deepEqual(installedNames(cache, packed), []);
  assert.equal(await removeInstalled(packed.hash), true);
  assert.equal(await removeInstalled(packed.hash), false);
  assert.deepEqual(readdirSync(cache), []);

  const again = await nodes[0]!.use(name);
  assert.equal(installs.length, 2);
  again!.release();
});

test("an install that fails says why in npm's words, leaves nothing, and is tried again", async (t) => {
  const cache = ownCache(t);
  const job = makeJob(t, { version: "1.0.0" });
  const lock = join(job.dir, "package-lock.json");
  const good = readFileSync(lock, "utf8");
  write(job.dir, { "package-lock.json": good.replace(/sha512-..../, "sha512-AAAA") });
  const { name, node } = await nodesFor(job);
  const one = node();
  for (let tries = 0; tries < 2; tries++) {
    await assert.rejects(
      one.use(name),
      (error) =>
        isActorsError(error, "START_FAILED") && /npm ci for job job-1\.0\.0 failed: .*EINTEGRITY/s.test(error.message),
    );
    assert.deepEqual(readdirSync(cache), []);
  }
});

test("install scripts run only when the job says so", async (t) => {
  const cache = ownCache(t);
  const scripts = { install: "node -e \"require('fs').writeFileSync('ran', '')\"" };
  for (const installScripts of [false, true]) {
    const job = makeJob(t, { version: "1.0.0", manifest: { scripts, actors: { installScripts } } });
    const { packed, name, node } = await nodesFor(job);
    const use = await node().use(name);
    assert.equal(existsSync(join(cache, packed.hash, "ran")), installScripts);
    use!.release();
  }
});

test("a node that stops ends its install and all that npm started", async (t) => {
  const cache = ownCache(t);
  const job = makeJob(t, {
    version: "1.0.0",
    manifest: { scripts: { install: "node wait.cjs" }, actors: { installScripts: true } },
    files: { "wait.cjs": "require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1e6);" },
  });
  const { packed, name, node } = await nodesFor(job);
  const one = node();
  const use = one.use(name);
  use.catch(() => {});
  const { pid } = await runningScript(cache, packed.hash);
  one.close();
  await assert.rejects(use, /CANCELLED/);
  await until("the end of the script", () => hasEnded(pid));
  assert.deepEqual(readdirSync(cache), []);
});
