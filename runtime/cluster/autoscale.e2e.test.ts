import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hasEnded, TestCluster, until } from "./testing.js";
import { probe } from "./testing-actors.js";

test("a command that starts another node is called for an actor that no node can hold, which then runs there", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "autoscale-test-"));
  const [demand, pid, program, credential] = ["demand", "pid", "node.mjs", "join.json"].map((name) =>
    join(dir, name),
  ) as [string, string, string, string];
  const main = new URL("./agent-main.js", import.meta.url).pathname;
  // Stays as the parent of the agent, which ends with it.
  writeFileSync(
    program,
    `import { fork } from "node:child_process";
     import { readFileSync, writeFileSync } from "node:fs";
     writeFileSync(${JSON.stringify(pid)}, String(process.pid), { flag: "wx" });
     const env = { ...process.env, ACTORS_NODE: "n2", ACTORS_SLOT: "2" };
     fork(${JSON.stringify(main)}, [], { env, stdio: ["ignore", "ignore", "ignore", "ipc"] }).send({ join: JSON.parse(readFileSync(${JSON.stringify(credential)}, "utf8")) });`,
  );
  const pidOf = () => (existsSync(pid) ? Number(readFileSync(pid, "utf8")) : 0);
  t.after(() => {
    if (pidOf()) process.kill(pidOf(), "SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  });
  const start = `setsid ${process.execPath} ${program} < /dev/null > /dev/null 2>&1 &`;
  const offers = { slots: { n2: { resources: { seat: 1 } } } };
  const c = await TestCluster.start(t, 1, offers, {
    autoscale: { command: `cat > ${demand}.new && mv ${demand}.new ${demand}; test -e ${pid} || ${start}` },
  });
  writeFileSync(credential, JSON.stringify(c.cluster.credential), { mode: 0o600 });
  const p = await c.system.spawn(probe, { resources: { seat: 1 } });
  assert.equal((await p.where()).node, "n2");
  const { unmet, nodes } = JSON.parse(readFileSync(demand, "utf8"));
  assert.ok(unmet.length <= 1 && nodes.length >= 1);
  await c.system.stop(p);
  const agent = c.node("n2").pid;
  process.kill(pidOf(), "SIGKILL");
  await until("its node ended", () => hasEnded(agent));
  rmSync(pid);
});
