import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { hasEnded, TestCluster, until } from "../cluster/testing.js";
import { probe } from "../cluster/testing-actors.js";

const patienceMs = 20_000;

/** Worker processes of a node that host no actor. */
function spares(c: TestCluster, node: string): number[] {
  const hosts = c.system.ps().actors.map(({ pid }) => pid);
  const agent = c.node(node).pid;
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && !hosts.includes(pid) && !hasEnded(pid) && isWorkerOf(pid, agent));
}

function isWorkerOf(pid: number, agent: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return parent === agent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("process-main");
  } catch {
    return false; // it has just ended
  }
}

/** Once it is subject to its node's lease. */
async function spareOf(c: TestCluster): Promise<number> {
  const fenced = () => spares(c, "n1").filter((pid) => readFileSync(`/proc/${pid}/maps`, "utf8").includes("lease-n1"));
  await until("one spare", () => fenced().length === 1);
  return fenced()[0]!;
}

async function start(t: TestContext) {
  const c = await TestCluster.start(t, 1, { slots: { n1: { devices: ["7"] } } });
  const one = await c.system.spawn(probe, { hosting: "process", name: "one", restart: { max: 100, backoffMs: 1 } });
  const where = () => one.where.with({ timeoutMs: patienceMs })();
  return { c, one, where };
}

describe("a spare worker", { skip: process.platform !== "linux" && "no /proc" }, () => {
  it("takes the place of a process that was killed, with its environment and its log; another spare follows", async (t) => {
    const { c, where } = await start(t);
    const before = await where();
    const environ = (pid: number) => readFileSync(`/proc/${pid}/environ`, "utf8");
    const [cold, links] = [
      environ(before.pid),
      ["cwd", "exe"].map((name) => readlinkSync(`/proc/${before.pid}/${name}`)),
    ];
    const spare = await spareOf(c);
    process.kill(before.pid, "SIGKILL");
    const after = await where();
    assert.equal(after.pid, spare);
    assert.deepEqual([after.visible, after.node, after.epoch], [before.visible, before.node, 2]);
    assert.equal(environ(after.pid), cold);
    assert.deepEqual(
      ["cwd", "exe"].map((name) => readlinkSync(`/proc/${after.pid}/${name}`)),
      links,
    );
    assert.match(readlinkSync(`/proc/${after.pid}/fd/2`), /\/logs\/one-.*\.log$/);
    assert.notEqual(await spareOf(c), spare);
  });

  it("that was killed serves nobody, and is replaced", async (t) => {
    const { c, where } = await start(t);
    const { pid } = await where();
    const spare = await spareOf(c);
    process.kill(spare, "SIGKILL");
    process.kill(pid, "SIGKILL");
    const after = await where();
    assert.ok(after.pid !== spare && after.pid !== pid && after.epoch === 2);
    assert.notEqual(await spareOf(c), spare);
  });

  it("that is stopped holds up nobody for longer than its lease", async (t) => {
    const { c, where } = await start(t);
    const { pid } = await where();
    const spare = await spareOf(c);
    process.kill(spare, "SIGSTOP");
    process.kill(pid, "SIGKILL");
    const after = await where();
    assert.ok(after.pid !== spare && hasEnded(spare));
  });

  it("is not for an actor with devices of its own", async (t) => {
    const { c } = await start(t);
    const spare = await spareOf(c);
    const other = await c.system.spawn(probe, { hosting: "process", gpus: 1 });
    const { pid, visible } = await other.where();
    assert.notEqual(pid, spare);
    assert.equal(visible, "7");
    assert.ok(!hasEnded(spare));
  });

  it("ends with its node", async (t) => {
    const { c } = await start(t);
    const spare = await spareOf(c);
    process.kill(c.node("n1").pid, "SIGKILL");
    await until("the end of the spare", () => hasEnded(spare));
  });

  it("ends with its cluster, and is not made for inline actors", async (t) => {
    const c = await TestCluster.start(t, 1);
    await c.system.spawn(probe, { hosting: "inline" });
    assert.deepEqual(spares(c, "n1"), []);
    const one = await c.system.spawn(probe, { hosting: "process" });
    await one.where();
    const spare = await spareOf(c);
    await c.cluster.stop("enough");
    assert.ok(hasEnded(spare));
  });
});
