import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sharedMemoryDir } from "../cluster/remains.js";
import { pause } from "../core/wait.js";
import { isRunning } from "./processes.js";

const limitMs = 60_000;

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "interrupts-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const cli = JSON.stringify(new URL("./cli.js", import.meta.url));
  writeFileSync(
    join(dir, "program.mjs"),
    `import { createCli } from ${cli};
     process.exitCode = await createCli({ jobs: async () => [] }).run(process.argv.slice(2));`,
  );
  return dir;
}

/** Runs `up --idle`, and sends as many signals as are asked for the moment something appears in the folder. */
async function interrupt(dir: string, appears: string, signals: NodeJS.Signals[]) {
  const child = spawn(process.execPath, [join(dir, "program.mjs"), "up", "--idle", "--nodes", "2"], {
    cwd: dir,
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  const path = join(dir, ".actors", appears);
  for (const until = Date.now() + limitMs; !existsSync(path); await pause(1)) {
    assert.ok(child.exitCode === null && Date.now() < until, `${appears} did not appear`);
  }
  for (const signal of signals) child.kill(signal);
  const [code] = (await exited) as [number | null];
  return { pid: child.pid!, code };
}

/** Processes that work in the folder, or were told of it. */
function processesIn(dir: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const told = ["cmdline", "environ"].some((what) => readFileSync(`/proc/${pid}/${what}`, "utf8").includes(dir));
      return isRunning(pid) && (told || readlinkSync(`/proc/${pid}/cwd`) === dir);
    } catch {
      return false; // it has ended
    }
  });
}

function assertNothingLeft(dir: string, pid: number): void {
  assert.deepEqual(processesIn(dir), []);
  const files = [tmpdir(), sharedMemoryDir()].flatMap((place) => readdirSync(place));
  assert.deepEqual(
    files.filter((name) => name.startsWith(`actors-${pid}-`)),
    [],
  );
  assert.deepEqual(
    readdirSync(join(dir, ".actors")).filter((name) => name !== "logs"),
    [],
  );
}

const moments = ["", "nats", "nats/nats.conf", "nats/nats.log", "cluster.json", "logs/node-n1.log", "logs/node-n2.log"];
const linux = process.platform === "linux" ? false : "looks into /proc";

test("Ctrl-C at any moment of the start leaves nothing behind", { skip: linux }, async (t) => {
  const dir = folder(t);
  for (const moment of moments) {
    rmSync(join(dir, ".actors"), { recursive: true, force: true });
    const { pid, code } = await interrupt(dir, moment, ["SIGINT"]);
    assert.equal(code, 130, moment);
    assertNothingLeft(dir, pid);
  }
});

test("nor does a signal that forces the end of a start", { skip: linux }, async (t) => {
  const dir = folder(t);
  for (const moment of moments) {
    rmSync(join(dir, ".actors"), { recursive: true, force: true });
    const { pid, code } = await interrupt(dir, moment, ["SIGINT", "SIGTERM"]);
    assert.ok(code === 130 || code === 143, `${moment}: ${code}`);
    assertNothingLeft(dir, pid);
  }
});
