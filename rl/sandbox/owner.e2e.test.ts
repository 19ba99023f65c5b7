import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sweepCounts } from "./cgroup.js";
import { sweepWorkspaces } from "./leftovers.js";
import { ProcessBackend } from "./process.js";
import { backends, log, until } from "./testing.js";

/** A program that holds two sandboxes, one with a command and a daemon running, and says when. */
const program = (name: string, module: string, marker: string) => `
const backend = new (await import(${JSON.stringify(module)})).${name}();
const limits = { memoryMb: 64, processes: 16, diskMb: 8 };
const [a] = await Promise.all([backend.start(limits), backend.start(limits)]);
const script = "(setsid sleep ${marker} &); until grep -q sleep /proc/*/comm; do :; done; echo up";
await a.run([{ write: { path: "f", content: new Uint8Array(9) } }, { exec: { argv: ["sh", "-c", script] } }]);
a.run([{ exec: { argv: ["sleep", "${marker}"], timeoutMs: 600000 } }]);
console.log("ready");
`;

async function start(name: string, module: string, marker: string): Promise<ChildProcess> {
  const args = ["--input-type=module", "-e", program(name, module, marker)];
  const owner = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(owner.stdout as NonNullable<typeof owner.stdout>, "data");
  return owner;
}

/** Processes with the marker on their command line, or of sandboxd working for a folder of this owner. */
function remains(marker: string, owner: number): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid || Number(pid) === owner) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(`sleep ${marker}`) || line.includes(`actors-sandbox-${owner}-`) ? [line] : [];
    } catch {
      return [];
    }
  });
}
const folders = (owner: number) => readdirSync(tmpdir()).filter((name) => name.startsWith(`actors-sandbox-${owner}-`));
const groups = (owner: number) =>
  ["memory", "pids", "."].flatMap((name) => {
    const folder = join("/sys/fs/cgroup", name);
    return existsSync(folder)
      ? readdirSync(folder).filter((group) => group.startsWith(`actors-sandbox-${owner}-`))
      : [];
  });
const children = (owner: number) =>
  readFileSync(`/proc/${owner}/task/${owner}/children`, "utf8").trim().split(" ").map(Number);

for (const { backend, skip } of backends()) {
  describe(backend.name, { skip }, () => {
    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
      test(`after ${signal} to the owner no process and no folder remains`, async () => {
        const marker = `${process.pid}${signal.length}.${backend.name.length}`;
        const name = backend.constructor.name;
        const owner = await start(name, new URL(`./${backend.name}.js`, import.meta.url).href, marker);
        const pid = owner.pid as number;
        const held = children(pid);
        assert.ok(held.length >= 2 && remains(marker, pid).length > 0);
        owner.kill(signal);
        await once(owner, "exit");
        await until(() => remains(marker, pid).length === 0, `the end of ${remains(marker, pid)}`);
        await until(() => held.every((child) => !existsSync(`/proc/${child}`)), "the end of the sandboxes");
        await until(() => folders(pid).length === 0, "the removal of the folders");
        await sweepCounts();
        assert.deepEqual(groups(pid), []);
      });
    }
  });
}

test("the folder of an owner that died with its sandboxes is swept by the next, a living owner's stays", async () => {
  const dead = spawn("true");
  await once(dead, "exit");
  const stale = join(tmpdir(), `actors-sandbox-${dead.pid}-stale`);
  const living = join(tmpdir(), `actors-sandbox-${process.ppid}-living`);
  mkdirSync(join(stale, ...Array.from({ length: 100 }, () => "deep")), { recursive: true });
  mkdirSync(living);
  await sweepWorkspaces(log);
  assert.ok(!existsSync(stale));
  assert.ok(existsSync(living));
  rmdirSync(living);
});

const noUser = process.getuid?.() !== 0 && "only root can give a sandbox a user of its own";
test("a sandbox whose sandboxd is killed leaves neither folder nor processes", { skip: noUser }, async () => {
  const backend = new ProcessBackend();
  const sandbox = await backend.start({ memoryMb: 64, processes: 16, diskMb: 8 });
  const marker = `${process.pid}77.5`;
  const script = `(setsid sleep ${marker} &); until grep -q sleep /proc/[0-9]*/comm; do :; done`;
  await sandbox.run([{ exec: { argv: ["sh", "-c", script] } }]);
  process.kill(sandbox.pid, "SIGKILL");
  await sandbox.ended;
  await until(() => folders(process.pid).length === 0, "the removal of the folder");
  await until(() => remains(marker, process.pid).length === 0, "the end of the daemon");
});
