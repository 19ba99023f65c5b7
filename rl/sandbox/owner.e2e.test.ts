import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { SandboxBackend } from "./backend.js";
import { sweepCounts } from "./cgroup.js";
import { ContainerBackend } from "./container.js";
import { machineId, machineLabel } from "./engine.js";
import { sweepWorkspaces } from "./leftovers.js";
import { ProcessBackend } from "./process.js";
import { backends, log, type Tested, testImage, until } from "./testing.js";

/** A program that holds two sandboxes, one with a command and a daemon running, and says when. */
const program = ({ backend, image }: Tested, marker: string) => `
const made = await import(${JSON.stringify(new URL(moduleOf(backend), import.meta.url).href)});
const backend = new made.${backend.constructor.name}(${JSON.stringify(backend.name)});
const image = ${JSON.stringify(image)};
const limits = { memoryMb: 64, processes: 16, diskMb: 8, cpus: 1 };
const [a] = await Promise.all([backend.start(limits, image), backend.start(limits, image)]);
const script = "(setsid sleep ${marker} &); until grep -q sleep /proc/*/comm; do :; done; echo up";
await a.run([{ write: { path: "f", content: new Uint8Array(9) } }, { exec: { argv: ["sh", "-c", script] } }]);
a.run([{ exec: { argv: ["sleep", "${marker}"], timeoutMs: 600000 } }]);
console.log("ready");
`;

const moduleOf = (backend: SandboxBackend) =>
  backend instanceof ContainerBackend ? "./container.js" : `./${backend.name}.js`;

async function start(tested: Tested, marker: string): Promise<ChildProcess> {
  const args = ["--input-type=module", "-e", program(tested, marker)];
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

for (const tested of backends()) {
  const { backend, skip } = tested;
  describe(backend.name, { skip }, () => {
    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
      test(`after ${signal} to the owner no process and no folder remains`, async () => {
        const marker = `${process.pid}${signal.length}.${backend.name.length}`;
        const owner = await start(tested, marker);
        const pid = owner.pid as number;
        const held = children(pid);
        assert.ok(held.length >= 2 && remains(marker, pid).length > 0);
        owner.kill(signal);
        await once(owner, "exit");
        await until(() => remains(marker, pid).length === 0, `the end of ${remains(marker, pid)}`);
        await until(() => held.every((child) => !existsSync(`/proc/${child}`)), "the end of the sandboxes");
        await until(() => folders(pid).length === 0, "the removal of the folders");
        if (backend instanceof ContainerBackend) {
          const left = async () => (await backend.engine.ours()).filter((each) => each.includes(`-${pid}-`));
          await until(async () => (await left()).length === 0, "the removal of the containers", 20_000);
        }
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
  const sandbox = await backend.start({ memoryMb: 64, processes: 16, diskMb: 8, cpus: 1 });
  const marker = `${process.pid}77.5`;
  const script = `(setsid sleep ${marker} &); until grep -q sleep /proc/[0-9]*/comm; do :; done`;
  await sandbox.run([{ exec: { argv: ["sh", "-c", script] } }]);
  process.kill(sandbox.pid, "SIGKILL");
  await sandbox.ended;
  await until(() => folders(process.pid).length === 0, "the removal of the folder");
  await until(() => remains(marker, process.pid).length === 0, "the end of the daemon");
});

for (const { backend, skip } of backends()) {
  if (!(backend instanceof ContainerBackend)) continue;
  test(`a container of ${backend.name} whose owner died is swept by the next start, a living owner's stays`, {
    skip,
  }, async () => {
    const dead = spawn("true");
    await once(dead, "exit");
    const make = (owner: number | undefined) => {
      const name = `actors-sandbox-${owner}-${backend.name}-swept`;
      const labels = ["--label", `${machineLabel}=${machineId()}`];
      const args = ["create", "--name", name, "--network", "none", ...labels, testImage.name, "true"];
      const made = spawnSync(backend.name, args, { encoding: "utf8" });
      assert.equal(made.status, 0, made.stderr);
      return name;
    };
    const [stale, living] = [make(dead.pid), make(process.ppid)];
    await backend.engine.sweep(log);
    const left = await backend.engine.ours();
    await backend.engine.remove(living);
    assert.deepEqual([left.includes(stale), left.includes(living)], [false, true]);
  });
}
