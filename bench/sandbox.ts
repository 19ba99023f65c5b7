import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { requireSandboxd } from "../rl/sandbox/backend.js";
import { BubblewrapBackend, fixedArguments, rootArguments } from "../rl/sandbox/bubblewrap.js";
import { ContainerBackend } from "../rl/sandbox/container.js";
import { SandboxPool } from "../rl/sandbox/pool.js";
import type { Sandbox } from "../rl/sandbox/sandbox.js";
import { defaultLimits } from "../rl/sandbox/session.js";
import { noEngine, noTestImage, testImage } from "../rl/sandbox/testing.js";
import { makeLogger } from "../runtime/index.js";
import type { Benchmark, Report } from "./harness.js";

const defaultRounds = 3;
const inSequence = 20;
const defaultHeld = 100;
const ofContainers = 5;
const limits = { ...defaultLimits, diskMb: 128 };
const log = makeLogger("bench", "error");
/** 26 MB in 2,000 files, the size of a small repository. */
const large = "head -c 26000000 /dev/zero | split -b 13000 -a 4 - f";

const bench: Benchmark = {
  claim:
    "A sandbox starts as fast as bare bubblewrap does, a warm one is there at once, and a fork costs the same whatever its size.",
  leavesOut: [
    "pools of containers",
    "commands that do work of their own",
    "files of the host that nobody has read yet",
  ],

  async measure(report, { runs: rounds = defaultRounds, most: held = defaultHeld }) {
    const user = process.getuid?.() === 0 ? { uid: 60_900, gid: 60_900 } : {};
    const backend = new BubblewrapBackend();
    await (await backend.start(limits)).end(); // loads what is needed once
    const pool = new SandboxPool({ backend: new BubblewrapBackend(), limits, size: 4, log });
    await pool.start();
    try {
      for (let round = 1; round <= rounds; round++) {
        await starts(report, backend, user);
        await warm(report, pool);
        await commands(report, pool);
        await forks(report, pool);
        await containers(report, round === 1);
        report.progress(`round ${round} of ${rounds}`);
      }
    } finally {
      await pool.close();
      backend.close();
    }
    await many(report, held);
  },
};
export default bench;

async function timed(report: Report, name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  report.add(name, "ms", performance.now() - started);
}

async function starts(report: Report, backend: BubblewrapBackend, user: object): Promise<void> {
  const options = [...(await rootArguments()), ...fixedArguments(limits)];
  const binary = await open(await requireSandboxd());
  for (let i = 0; i < inSequence; i++) {
    await timed(report, "fork and exec of /bin/true by Node", () => ended("/bin/true", [], "ignore"));
    await timed(report, "bare bubblewrap with the same options: /bin/true, gone", () =>
      ended("bwrap", [...options, "/bin/true"], ["ignore", "ignore", "ignore", "ignore", binary.fd], user),
    );
    await timed(report, "create, /bin/true, destroy", async () => {
      const sandbox = await backend.start(limits);
      await sandbox.run([{ exec: { argv: ["/bin/true"] } }]);
      await sandbox.end();
    });
  }
  await binary.close();
}

async function ended(
  program: string,
  args: string[],
  stdio: "ignore" | (string | number)[],
  options = {},
): Promise<void> {
  const child = spawn(program, args, { ...options, stdio: stdio as "ignore", cwd: "/" });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`${program} ended with status ${status}`);
}

async function warm(report: Report, pool: SandboxPool): Promise<void> {
  const from = await pool.template({ setup: large });
  for (let i = 0; i < inSequence; i++) {
    let sandbox: Sandbox | undefined;
    await timed(report, "checkout of a warm sandbox", async () => {
      sandbox = await pool.acquire();
    });
    await sandbox?.release();
    await timed(report, "checkout of a warm sandbox with a template of 26 MB", async () => {
      sandbox = await pool.acquire({ from });
    });
    await sandbox?.release();
  }
}

async function commands(report: Report, pool: SandboxPool): Promise<void> {
  await using sandbox = await pool.acquire();
  const shell = sandbox.shell();
  await shell.run("true");
  for (let i = 0; i < inSequence; i++) {
    await timed(report, "builtin in a live shell", () => shell.run("true"));
    await timed(report, "/bin/true in a live shell", () => shell.run("/bin/true"));
    await timed(report, "/bin/true as a command of its own", () => sandbox.exec(["/bin/true"]));
  }
}

async function forks(report: Report, pool: SandboxPool): Promise<void> {
  for (const [size, script] of [
    ["an empty workspace", "true"],
    ["26 MB in 2,000 files", large],
  ] as const) {
    await using sandbox = await pool.acquire();
    await sandbox.exec(script, { timeoutMs: 60_000 });
    for (let i = 0; i < inSequence; i++) {
      let fork: Sandbox | undefined;
      await timed(report, `fork of ${size}`, async () => {
        fork = await sandbox.fork();
      });
      await fork?.release();
    }
  }
}

/** The engines of this machine, by themselves and with our init inside, on an image of a hundred megabytes. */
async function containers(report: Report, first: boolean): Promise<void> {
  for (const name of ["docker", "podman"] as const) {
    const absent = noEngine(name) ?? noTestImage(name, testImage.name);
    if (absent) {
      if (first) report.remark(`${name}: not measured, for ${absent}`);
      continue;
    }
    const backend = new ContainerBackend(name);
    const ulimits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]; // podman's own may be too many
    const run = ["run", "--rm", "--network", "none", ...ulimits, testImage.name, "/usr/bin/true"];
    if (first) await (await backend.start(limits, testImage)).end(); // asks for the engine and the image once
    for (let i = 0; i < ofContainers; i++) {
      await timed(report, `${name} run --rm: /bin/true, gone`, () => ended(name, run, "ignore"));
      await timed(report, `create, /bin/true, destroy with ${name}`, async () => {
        const sandbox = await backend.start(limits, testImage);
        await sandbox.run([{ exec: { argv: ["/bin/true"] } }]);
        await sandbox.end();
      });
    }
    backend.close();
  }
}

/** Starts, weighs and ends many. */
async function many(report: Report, count: number): Promise<void> {
  const pool = new SandboxPool({ backend: new BubblewrapBackend(), limits, size: count, log });
  const started = performance.now();
  await pool.start();
  report.add(`start of ${count}, four at a time, each`, "ms", (performance.now() - started) / count);
  const own = descendants(String(process.pid));
  report.add(`memory of each of ${count} held`, "MB", own.reduce((sum, pid) => sum + proportionalMb(pid), 0) / count);
  await timed(report, `destroy ${count} at once`, () => pool.close());
  report.add("processes left", "", own.filter((pid) => existsSync(`/proc/${pid}`)).length);
}

function descendants(pid: string): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function proportionalMb(pid: string): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it ended, or is another's
  }
}
