import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { makeJob, ownCache } from "../bundles/testing.js";
import { TestCluster } from "../cluster/testing.js";
import { join } from "../join.js";
import { runCli } from "./testing.js";

test("env ls and rm show and remove bundles of a cluster, but none that actors run from, and of the machine without one", async (t) => {
  const cache = ownCache(t);
  const c = await TestCluster.start(t, 2);
  const cli = (...args: string[]) => runCli(c.cluster.file, "env", ...args);
  assert.equal((await cli("ls")).stdout, "no job bundles\n");
  const [one, two] = ["1.0.0", "2.0.0"].map((version) => makeJob(t, { version }));
  await using system = await join({ cluster: c.cluster.file });
  const actor = await system.spawn(await one!.greeter(), { name: "runs", node: "n1" });
  await system.stop(await system.spawn(await two!.greeter(), { name: "ended", node: "n2" }));

  const { stdout, stderr } = await cli("ls");
  assert.equal(stderr, "");
  const [head, ...rows] = stdout.trimEnd().split("\n");
  assert.match(head!, /^HASH +JOB +SIZE +INSTALLED ON +LAST USED \(UTC\) +IN USE BY$/);
  assert.match(rows[0]!, /^[0-9a-f]{12} +job-2\.0\.0 +[\d.]+ KB +n1 n2 \(\S+\) +\d{4}-\d\d-\d\d \d\d:\d\d +-$/);
  assert.match(rows[1]!, /^[0-9a-f]{12} +job-1\.0\.0 +.* +runs\(\w+\)$/);
  const [hash2, hash1] = rows.map((row) => row.slice(0, 12)) as [string, string];

  const refused = await cli("rm", hash1);
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, new RegExp(`^actors: bundle ${hash1} is in use by runs\\(\\w+\\)\n`));
  assert.equal((await cli("rm")).status, 2);
  assert.equal((await cli("rm", "zzz")).status, 2);
  assert.equal((await cli("rm", "--unused")).stdout, `removed ${hash2} of job job-2.0.0\n`);
  assert.equal((await cli("rm", "--unused")).stdout, "nothing to remove: every bundle is in use\n");
  assert.equal((await actor.hello()).greeting, "greeting 1.0.0");
  const again = await system.spawn(await two!.greeter());
  assert.equal((await again.hello()).greeting, "greeting 2.0.0", "shipped and installed again");

  await system.close();
  const left = JSON.parse((await cli("ls", "--json")).stdout) as { hash: string; actors: string[]; shipped: number }[];
  assert.deepEqual(left.map(({ hash }) => hash.slice(0, 12)).sort(), [hash1, hash2].sort());
  assert.ok(left.every(({ actors, shipped }) => actors.length === 0 && shipped > 0));

  await c.cluster.stop("the test takes it down");
  const alone = (...args: string[]) => runCli("", "env", ...args);
  assert.match((await alone("ls")).stdout, /job-1\.0\.0/);
  assert.deepEqual(JSON.parse((await alone("rm", "--unused", "--json")).stdout).removed.length, 2);
  assert.deepEqual(readdirSync(cache), []);
});

test("env explains itself", async () => {
  for (const args of [["env"], ["env", "--help"], ["env", "ls", "--help"], ["env", "rm", "--help"]]) {
    const { stdout, status } = await runCli("", ...args);
    assert.match(stdout, /^Usage: actors env/, args.join(" "));
    assert.equal(status, 0);
    assert.match(stdout, /Examples:\n {2}\$ actors env/);
  }
});
