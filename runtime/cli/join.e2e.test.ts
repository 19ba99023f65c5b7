import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeJob, ownCache, temporary } from "../bundles/testing.js";
import { issue, newAuthority } from "../cluster/authority.js";
import { joinFileIn } from "../cluster/state.js";
import { hasEnded, secretsOf, TestCluster, until } from "../cluster/testing.js";
import { ledger } from "../cluster/testing-actors.js";
import { apart, Cable, whyNoCables } from "../cluster/testing-cable.js";
import { keeper } from "../objects/testing-actors.js";
import { program, runCli } from "./testing.js";

const mib = 1 << 20;
const config =
  "cluster: { nodes: 2, resources: { seat: 2 }, labels: { far: true }, slots: { n2: { devices: [7] } } }\n";

interface Machine {
  child: ChildProcess;
  dir: string;
  said(): string;
}

/** A second machine: a network of its own where one can be made, else a folder of its own; another host for objects. */
async function machine(t: TestContext, within: readonly string[]): Promise<Machine> {
  const dir = temporary(t);
  writeFileSync(join(dir, "actors.yaml"), config);
  const script = 'read -r url && exec "$0" "$1" join "$url" --credential -'; // once there is a cable, and a cluster
  const [command, ...args] = [...within, "/bin/sh", "-c", script, process.execPath, program];
  const child = spawn(command!, args, { cwd: dir, env: { ...process.env, ACTORS_HOST_ID: "far" } });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (out += chunk));
  return { child, dir, said: () => out };
}

async function joined(t: TestContext) {
  ownCache(t);
  const far = whyNoCables() === false;
  const there = await machine(t, far ? apart : []);
  const listen = far ? (await Cable.to(t, there.child.pid!)).host : "127.0.0.1";
  const c = await TestCluster.start(t, 1, {}, { listen });
  there.child.stdin!.end(`${c.file.url}\n${readFileSync(joinFileIn(c.dir), "utf8")}`);
  const nodes = () =>
    c.system
      .ps()
      .nodes.filter((n) => n.labels["far"] === "true" && n.state === "up")
      .map((n) => n.id);
  await until("the joined nodes", () => nodes().length === 2 && /joined · 2 nodes/.test(there.said()));
  return { c, there, nodes };
}

async function ends({ child, said }: Machine, how: "SIGINT" | "SIGKILL") {
  const exited = once(child, "exit");
  child.kill(how);
  const [code] = (await exited) as [number | null];
  return { code, said: said() };
}

describe("actors join", () => {
  it("adds nodes that run actors with state, objects and bundles, and survives nats-server", async (t) => {
    const { c, there, nodes } = await joined(t);
    assert.equal(statSync(joinFileIn(c.dir)).mode & 0o777, 0o600);
    const [last] = c.system.ps().nodes.filter((n) => n.devices.includes("7"));
    assert.ok(last && nodes().includes(last.id));
    const far = { labels: { far: "true" } };

    for (const hosting of ["inline", "process"] as const) {
      const k = await c.system.spawn(keeper, { ...far, hosting, resources: { seat: 1 } });
      const bytes = await c.system.put(new Uint8Array(2 * mib).fill(1));
      assert.equal(await k.hold(bytes), 2 * mib, "pulled there");
      assert.equal((await c.system.get(await k.put(2 * mib, 3)))[mib], 3, "pulled here");
      await c.system.stop(k);
    }
    const greeter = await makeJob(t, { version: "1.0.0" }).greeter();
    const { join: joinSystem } = await import("../join.js");
    await using client = await joinSystem({ cluster: c.cluster.file });
    const hello = await (await client.spawn(greeter, { ...far, hosting: "process" })).hello();
    assert.ok(nodes().includes(hello.node));

    const kept = await c.system.spawn(ledger, { ...far, hosting: "process", name: "kept" });
    assert.equal(await kept.addAndSave(2), 2);
    process.kill(c.file.natsPids[0]!, "SIGKILL");
    await c.heard("nats-restarted");
    await until("the joined nodes after the restart", () => nodes().length === 2);
    assert.equal((await c.system.spawn(keeper, far)).id.length > 0, true);

    const ps = await runCli(join(there.dir, ".actors", "cluster.json"), "ps", "--json");
    assert.equal(ps.status, 0, ps.stderr);
    assert.equal(JSON.parse(ps.stdout).nodes.length, 3);
  });

  it("has what it ran started elsewhere at Ctrl-C, and leaves nothing", async (t) => {
    const { c, there, nodes } = await joined(t);
    const group = await c.system.spawnGroup(ledger, 3, {
      hosting: "process",
      strategy: "spread",
      restart: { policy: "always", max: 3, withinMs: 60_000 },
    });
    const far = c.system.ps().actors.filter((a) => nodes().includes(a.node));
    assert.equal(far.length, 2);
    const pids = [...c.system.ps().nodes.filter((n) => nodes().includes(n.id)), ...far].map((each) => each.pid);
    await group.addAndSave.all(5);
    const { code, said } = await ends(there, "SIGINT");
    assert.equal(code, 130, said);
    assert.ok(pids.every(hasEnded));
    assert.ok(!existsSync(join(there.dir, ".actors", "cluster.json")));
    const left = [tmpdir(), "/dev/shm"].flatMap((dir) => (existsSync(dir) ? readdirSync(dir) : []));
    assert.deepEqual(
      left.filter((name) => name.startsWith(`actors-${there.child.pid}-`)),
      [],
    );
    await until("the nodes' records to be gone", () => c.system.ps().nodes.length === 1);
    await until("its actors' move", () => c.system.ps().actors.every((a) => a.node === "n1" && a.state === "RUNNING"));
    assert.deepEqual(await group.add.all(1), [6, 6, 6]); // with their state
    const all = JSON.stringify([said, readFileSync(join(c.dir, "nats", "nats.log"), "utf8")]);
    for (const secret of Object.values(secretsOf(c.cluster.credential))) assert.ok(!all.includes(secret));
  });

  it("refuses what is no credential, or another cluster's, in one sentence without it", async (t) => {
    const dir = temporary(t);
    const c = await TestCluster.start(t, 1, {}, { listen: "127.0.0.1" });
    const file = join(dir, "join.json");
    const { signer } = newAuthority();
    const stranger = { ...c.cluster.credential, ...issue(signer, "control", c.file.cluster), signer };
    for (const [text, why] of [
      ["{}", /this is no credential/],
      [JSON.stringify(stranger), /Authorization/i],
    ] as const) {
      writeFileSync(file, text, { mode: 0o600 });
      const child = spawn(process.execPath, [program, "join", c.file.url, "--credential", file], { cwd: dir });
      let stderr = "";
      child.stderr.on("data", (chunk) => (stderr += chunk));
      const [code] = (await once(child, "close")) as [number];
      assert.ok(code > 0);
      assert.match(stderr, why);
      for (const secret of Object.values(secretsOf(stranger))) assert.ok(!stderr.includes(secret));
    }
  });
});
